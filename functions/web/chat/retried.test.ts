import { expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { chatCaller } from '#tests/support/conversations/chat.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'

const on = usePlayedAgent()

const refusals: [string, string, Partial<Agent>][] = [
  ['is being started', 'AGENT_NOT_RUNNING', { status: 'provisioning' }],
  ['is stopped', 'AGENT_NOT_RUNNING', { status: 'stopped', desired: 'stopped' }],
  [
    'was stopped by an operator',
    'STOPPED_BY_OPERATOR',
    { status: 'stopped', stoppedByOperator: true },
  ],
]

it.each(refusals)(
  'a message that is rejected while its agent %s releases its Idempotency-Key',
  async (_, code, state) => {
    const { table } = on.accounts
    const user = await on.accounts.signUp(`${crypto.randomUUID()}@b.co`)
    const { address } = on.agent
    const agent = await putAgent(table, user.id, { ...(address && { address }), ...state })
    on.gateway.reply = (response) => say(response, 'Hello.')
    const call = chatCaller(table)
    const send = () =>
      call('POST', '/api/chat', {
        session: user.session,
        body: { message: 'Hi', agentId: agent.id },
        headers: { 'idempotency-key': 'one' },
      })
    const refused = await send()
    expect([refused.status, await refused.json()]).toMatchObject([409, { code }])

    await userStore(table, user.id).update(`agent#${agent.id}`, {
      set: { status: 'running', desired: 'running' },
      remove: ['stoppedByOperator'],
    })
    const answered = await send()
    expect([answered.status, answered.headers.get('idempotent-replayed')]).toEqual([200, null])
    const replayed = await send()
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(on.gateway.calls).toHaveLength(1)
  },
)
