import { afterAll, beforeAll, expect, it } from 'vitest'
import { senderRoutes } from '#functions/web/agent-lifecycle/senders.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type PlayedSlack, startSlack } from '#tests/support/channels/slack.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { callerOf } from '#tests/support/http/caller.ts'

const strangers = 1000
const pendingLimit = 100

const on = usePlayedAgent()
let slack: PlayedSlack
beforeAll(async () => void (slack = await startSlack()))
afterAll(() => slack.close())

it(
  'of a thousand strangers 100 get a code, at most one an hour each, and none reaches the agent',
  { timeout: 600_000 },
  async () => {
    const { table } = on.accounts
    const settings = { SLACK_API_URL: slack.url, WEB_URL: 'https://play.example' }
    const channels = channelsOver(table, settings)
    const { session } = on.ada
    const agent = await putAgent(table, on.ada.id)
    const body = { kind: 'slack', botToken: slack.token, signingSecret: slack.signingSecret }
    const created = await channels.call('POST', `${agent.id}/channels`, { session, body })
    const id = String(created.body['id'])
    const { queues, config } = channels
    const call = callerOf({ routes: senderRoutes }, { table, queues, config })
    const place = `/api/agents/${agent.id}/channels/${id}/senders`
    const senders = async () => {
      const answer = await call('GET', place, { session })
      return ((await answer.json()) as { senders: { id: string; state: string; code: string }[] })
        .senders
    }
    let sent = 0
    const write = async (stranger: number) => {
      const event = {
        type: 'message',
        channel: `D0S${stranger}`,
        channel_type: 'im',
        user: `U0S${stranger}`,
        text: 'Who are you?',
        ts: `${Math.floor(Date.now() / 1000)}.${String(++sent).padStart(6, '0')}`,
      }
      const { headers, body: text } = slack.signed(slack.envelope(event))
      expect((await channels.receive(`slack/${id}`, { text, headers })).status).toBe(200)
      await channels.deliver()
    }
    for (let stranger = 0; stranger < strangers; stranger++) await write(stranger)
    for (let stranger = 0; stranger < 5; stranger++) await write(stranger)
    expect(slack.posts).toHaveLength(pendingLimit)
    expect(new Set(slack.posts.map(({ channel }) => channel)).size).toBe(pendingLimit)
    const pending = await senders()
    expect(pending).toHaveLength(pendingLimit)
    expect(new Set(pending.map(({ code }) => code)).size).toBe(pendingLimit)

    channels.state.now += 3_601_000
    await write(0)
    expect(slack.posts).toHaveLength(pendingLimit + 1)
    const renewed = (await senders()).find(({ id: stranger }) => stranger === 'U0S0')
    expect(slack.posts.at(-1)?.text).toContain(renewed?.code)
    const decision = { session, body: { decision: 'block' } }
    expect((await call('POST', `${place}/U0S1`, decision)).status).toBe(200)
    await write(strangers - 1)
    expect(slack.posts).toHaveLength(pendingLimit + 2)
    expect(on.gateway.calls).toEqual([])
  },
)
