import { expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { chatCaller } from '#tests/support/conversations/chat.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'

const on = usePlayedAgent()

const refusals: [string, number, string, Partial<Agent>][] = [
  ['is being started', 409, 'AGENT_NOT_RUNNING', { status: 'provisioning' }],
  ['is stopped', 409, 'AGENT_NOT_RUNNING', { status: 'stopped', desired: 'stopped' }],
  [
    'was stopped by an operator',
    409,
    'STOPPED_BY_OPERATOR',
    { status: 'stopped', stoppedByOperator: true },
  ],
  [
    'sleeps and no agent may start',
    503,
    'PROVISIONING_DISABLED',
    { status: 'stopped', desired: 'stopped', asleep: true },
  ],
]

/** contract.md 20 */
const turns = 20

it.each(refusals)(
  'a message that is rejected while its agent %s releases its Idempotency-Key and its slot',
  async (_, status, code, state) => {
    const { table } = on.accounts
    const user = await on.accounts.signUp(`${crypto.randomUUID()}@b.co`)
    const { address } = on.agent
    const agent = await putAgent(table, user.id, { ...(address && { address }), ...state })
    on.gateway.reply = (response) => say(response, 'Hello.')
    const call = chatCaller(table, { config: loadConfig({ KILL_SWITCH: 'true' }) })
    const send = (headers: Record<string, string> = { 'idempotency-key': 'one' }) =>
      call('POST', '/api/chat', {
        session: user.session,
        body: { message: 'Hi', agentId: agent.id },
        headers,
      })
    const refused = await send()
    expect([refused.status, await refused.json()]).toMatchObject([status, { code }])
    for (let i = 0; i < turns; i++) expect((await send({})).status).toBe(status)

    await userStore(table, user.id).update(`agent#${agent.id}`, {
      set: { status: 'running', desired: 'running' },
      remove: ['stoppedByOperator', 'asleep'],
    })
    const answered = await send()
    expect([answered.status, answered.headers.get('idempotent-replayed')]).toEqual([200, null])
    const replayed = await send()
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(on.gateway.calls).toHaveLength(1)
  },
)
