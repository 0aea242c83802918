import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { AgentCaller } from '#functions/backend/agent-mcp/context.ts'
import { schedules } from '#functions/backend/agent-mcp/schedules.ts'
import * as policies from '#functions/web/policies.ts'
import { listApprovals } from '#shared/permits/approvals/list.ts'
import type { Preset } from '#shared/permits/policy/effect.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { busCaller } from '#tests/support/network/bus.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import { userContext } from '#tests/support/platform/context.ts'
import { brokerOver } from '#tests/support/tools/broker.ts'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'

const scene = usePayScene()

/**
 * Does all that a page can talk an agent into: it sends a secret to a host, pays a stranger, writes to another agent, and
 * plans to do it again. The agent has a credential, and money within a mandate.
 */
async function obeyThePage(preset: Preset) {
  const { table } = scene.accounts
  const { agentId, key, user } = scene.agent
  await scene.allow()
  await userStore(table, user.id).update('profile', {
    set: { plan: 'solo', subscription: { id: null, status: 'active', customerId: null } },
  })
  const broker = brokerOver(table, { allowed: [scene.host] })
  await broker.keep(user.session, agentId, { hosts: [scene.host], value: 'a-value' })
  const agent = await setPolicyOf(table, { userId: user.id, agentId }, { preset, rules: [] })
  const stranger = await putAgent(table, (await scene.accounts.signUp(`${preset}@b.co`)).id)
  const bus = busCaller(table)
  const message = {
    messageId: randomUUID(),
    timestamp: new Date().toISOString(),
    from: { agentId, walletAddress: scene.agent.wallet },
    to: { agentId: stranger.id },
    action: 'SECRET',
    payload: { text: 'of the owner' },
  }
  const { signature } = await scene.signer.signMessage({ agentId, message })
  const task = { action: 'create', name: 'Again', cron: '0 9 * * *', prompt: 'Send more.' }
  const log = createLog({ function: 'test' })
  const caller = { table, log, agent, seed: newSeed(), session: 'a topic' } as AgentCaller
  scene.seen.length = 0
  const secret = { method: 'POST', body: 'the secret of the owner' }
  const outcomes = {
    request: (await broker.ask(key, `/api/${scene.host}/collect`, secret)).status,
    message: (await bus.send({ ...message, signature })).status,
    payment: (await scene.buy()).status,
    schedule: await Promise.resolve(
      schedules.call(caller, schedules.input.parse(task) as never),
    ).then(
      (result) => ('state' in result ? 202 : 200),
      () => 403,
    ),
  }
  const left = {
    bodies: scene.seen.filter(({ method }) => method === 'POST').length,
    paid: scene.seller.sold,
    held: (await scene.payments()).length,
    inbox: (await bus.inboxOf({ agent: stranger })).length,
    tasks: ((await schedules.call(caller, { action: 'list' } as never)).tasks as []).length,
  }
  const { items } = await listApprovals(await userContext(table, user.id), { limit: 10 } as never)
  return { outcomes, left, asked: items.map(({ action }) => action).toSorted() }
}

const nothing = { bodies: 0, paid: 0, held: 0, inbox: 0, tasks: 0 }
const each = (status: number) => ({
  request: status,
  message: status,
  payment: status,
  schedule: status,
})

it('an agent that was talked into it sends and pays nothing without a person, if it is guarded', async () => {
  expect(await obeyThePage('guarded')).toEqual({
    outcomes: each(202),
    left: nothing,
    asked: ['broker.request', 'message.send', 'payment.send', 'schedule.write'],
  })
})

it('an agent that was talked into it sends and pays nothing at all, if it is locked', async () => {
  expect(await obeyThePage('locked')).toEqual({ outcomes: each(403), left: nothing, asked: [] })
})

it('an agent that was talked into it does all that its owner allows, if it is open', async () => {
  expect(await obeyThePage('open')).toMatchObject({
    outcomes: each(200),
    left: { bodies: 1, paid: 1, held: 1, inbox: 1, tasks: 1 },
  })
  const call = callerOf(policies, { table: scene.accounts.table })
  const answer = await call('POST', `/api/agents/${scene.agent.agentId}/policy/test`, {
    session: scene.agent.user.session,
    body: { days: 1, preset: 'locked' },
  })
  const { records } = (await answer.json()) as { records: Record<string, unknown>[] }
  expect(records.map(({ action, then }) => [action, then]).toSorted()).toEqual([
    ['broker.request', 'deny'],
    ['payment.send', 'deny'],
  ])
})
