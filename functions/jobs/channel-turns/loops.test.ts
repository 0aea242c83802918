import { afterAll, beforeAll, expect, it } from 'vitest'
import { listEvents } from '#shared/agents/record/events/list.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'

const on = usePlayedAgent()
let receiver: Webhook
beforeAll(async () => void (receiver = await startWebhook()))
afterAll(() => receiver.close())

it('a chat has at most 60 turns in ten minutes, also without rate limits, and its owner is told once', async () => {
  const { table } = on.accounts
  const channels = channelsOver(table, { RATE_LIMITS: 'off' })
  const { address } = on.agent
  const agent = await putAgent(table, on.ada.id, { ...(address && { address }) })
  const { session } = on.ada
  const body = { kind: 'webhook', promptTemplate: '{{body.n}}', answerUrl: receiver.url }
  const created = await channels.call('POST', `${agent.id}/channels`, { session, body })
  const channel = created.body as { id: string; secret: string }
  on.gateway.reply = (response) => say(response, 'Yes?')

  for (let n = 0; n < 65; n++) await channels.hook(channel, `evt_${n}`, { n })
  await channels.deliver()
  expect(on.gateway.calls).toHaveLength(60)
  expect(receiver.posted).toHaveLength(60)
  const events = async () => {
    const { items } = await listEvents({ table } as never, { agent, limit: 9, cursor: undefined })
    return items.filter(({ text }) => text?.includes('60 turns in ten minutes'))
  }
  expect(await events()).toHaveLength(1)
  expect(channels.mails).toMatchObject([
    { to: 'ada@b.co', text: expect.stringContaining(`/agents/${agent.id}/channels`) },
  ])

  channels.state.now += 601_000
  await channels.hook(channel, 'later', { n: 65 })
  await channels.deliver()
  expect(on.gateway.calls).toHaveLength(61)
  expect([(await events()).length, channels.mails.length]).toEqual([1, 1])
})
