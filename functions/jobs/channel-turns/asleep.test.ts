import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'

const on = usePlayedAgent()
let receiver: Webhook
let channels: ReturnType<typeof channelsOver>
beforeAll(async () => {
  receiver = await startWebhook()
  const { table } = on.accounts
  const subscription = { id: 'sub_1', status: 'active', customerId: null }
  await table.update(
    { pk: `user#${on.ada.id}`, sk: 'profile' },
    { set: { plan: 'network', subscription } },
  )
})
afterAll(() => receiver.close())
beforeEach(() => {
  channels = channelsOver(on.accounts.table)
  receiver.posted.length = 0
  on.gateway.reply = (response, { body }) =>
    say(response, `Done: ${String(body.messages.at(-1)?.content).slice(1, 4)}`)
})

/** Creates an agent that does not run, with a channel that received two events. */
async function away(fields: Partial<Agent>) {
  const agent = await putAgent(on.accounts.table, on.ada.id, {
    subdomain: `away-${newSeed()}`,
    status: 'stopped',
    desired: 'stopped',
    ...fields,
  })
  const { session } = on.ada
  const body = { kind: 'webhook', promptTemplate: '{{body.n}}', answerUrl: receiver.url }
  const created = await channels.call('POST', `${agent.id}/channels`, { session, body })
  const channel = created.body as { id: string; secret: string }
  for (const n of ['one', 'two']) await channels.hook(channel, n, { n })
  await channels.deliverOne()
  channels.waiting.splice(0, 1)
  return agent
}

const key = ({ id }: Agent) => ({ pk: `user#${on.ada.id}`, sk: `agent#${id}` })

/** Starts an agent, as provisioning does. */
async function starts(agent: Agent): Promise<void> {
  const { address } = on.agent
  const set = { status: 'running', desired: 'running', address }
  await on.accounts.table.update(key(agent), { set, remove: ['asleep'] })
}

const answers = () => receiver.posted.map(({ text }) => (JSON.parse(text) as { text: string }).text)

describe('an event for an agent that does not run', () => {
  it('wakes a sleeping agent once, and is answered in its order when the agent runs', async () => {
    const agent = await away({ asleep: true })
    expect(await on.accounts.table.get(key(agent))).toMatchObject({ desired: 'running' })
    const starting = channels.waiting.filter(({ queue }) => queue === 'provisioning')
    expect(starting).toHaveLength(1)
    expect(on.gateway.calls).toEqual([])
    await starts(agent)
    await channels.deliver()
    expect(answers()).toEqual(['Done: one', 'Done: two'])
  })

  it('does not start an agent that its owner stopped, and waits until it runs', async () => {
    const agent = await away({})
    expect(await on.accounts.table.get(key(agent))).toMatchObject({ desired: 'stopped' })
    expect(channels.waiting).toMatchObject([{ queue: 'channel-turns', delaySeconds: 300 }])
    await starts(agent)
    await channels.deliver()
    expect(answers()).toEqual(['Done: one', 'Done: two'])
  })

  it('waits for a day, and its sender is told that it was not carried out', async () => {
    await away({})
    channels.state.now += 86_401_000
    await channels.deliver()
    const text = 'I was not running for a day, so your message was not carried out.'
    expect(answers()).toEqual([text, text])
    expect(on.gateway.calls).toEqual([])
  })
})
