import { afterAll, beforeAll, expect, it } from 'vitest'
import * as runs from '#functions/web/runs.ts'
import { findApproval } from '#shared/permits/approvals/approval.ts'
import type { Outcome } from '#shared/permits/policy/effect.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import type { AgentCaller } from './context.ts'
import { schedules } from './schedules.ts'
import { tools } from './tools.ts'

let keys: Keys
beforeAll(async () => {
  keys = await startKeys()
})
afterAll(() => keys.close())

it('a change of an agent’s schedules is decided by its policy, a list is not', async () => {
  const { table } = keys
  const user = await keys.signUp('ada@b.co')
  const { id: agentId } = await putAgent(table, user.id)
  const use = async (then: Outcome, input: Record<string, unknown>) => {
    const rules = [{ action: 'schedule.write' as const, match: { action: 'create' }, then }]
    const agent = await setPolicyOf(
      table,
      { userId: user.id, agentId },
      { preset: 'locked', rules },
    )
    const log = createLog({ function: 'test' })
    const ctx = { table, log, agent, seed: newSeed(), session: 'a topic' } as AgentCaller
    return schedules.call(ctx, schedules.input.parse(input) as never)
  }
  const task = { action: 'create', name: 'News', cron: '0 9 * * *', prompt: 'What is new?' }
  await expect(use('deny', task)).rejects.toMatchObject({
    code: 'POLICY_DENIED',
    details: { action: 'schedule.write', rule: 1 },
  })
  expect(await use('deny', { action: 'list' })).toEqual({ tasks: [] })
  const made = await use('allow', task)
  await expect(use('allow', { action: 'delete', task: made.id })).rejects.toMatchObject({
    details: { action: 'schedule.write', rule: 'locked' },
  })
  expect(await use('allow', { action: 'list' })).toMatchObject({ tasks: [{ id: made.id }] })
  const pending = await use('ask', { ...task, name: 'More' })
  expect(pending).toEqual({ state: 'pending', approvalId: expect.any(String) })
  expect(await use('ask', { ...task, name: 'More' })).toEqual(pending)
  const approval = await findApproval(
    { table },
    { userId: user.id, approvalId: String(pending.approvalId) },
  )
  expect(approval).toMatchObject({
    action: 'schedule.write',
    target: { action: 'create' },
    session: 'a topic',
    summary: 'Create the scheduled task More',
  })
  await expect(use('ask', { ...task, cron: 'never' })).rejects.toMatchObject({
    kind: 'bad-request',
  })
  expect(await use('ask', { action: 'list' })).toMatchObject({ tasks: [{ id: made.id }] })
})

it('what the owner does to the schedules of a locked agent is neither asked nor denied', async () => {
  const { table } = keys
  const { id: userId, session } = await keys.signUp('eve@b.co')
  const { id: agentId } = await putAgent(table, userId)
  await setPolicyOf(table, { userId, agentId }, { preset: 'locked', rules: [] })
  const call = callerOf(runs, { table } as never)
  const body = { agentId, name: 'News', cronSchedule: '0 9 * * *', prompt: 'What is new?' }
  const made = await call('POST', '/api/scheduled-tasks', { session, body })
  const { id: taskId } = (await made.json()) as { id: string }
  const changed = await call('PUT', '/api/scheduled-tasks', {
    session,
    body: { taskId, prompt: 'And today?' },
  })
  const removed = await call('DELETE', '/api/scheduled-tasks', { session, body: { taskId } })
  expect([made.status, changed.status, removed.status]).toEqual([201, 200, 200])
})

it('a locked policy does not cover the agent’s own notes', async () => {
  const { table } = keys
  const { id: userId } = await keys.signUp('bob@b.co')
  const { id: agentId } = await putAgent(table, userId)
  const agent = await setPolicyOf(table, { userId, agentId }, { preset: 'locked', rules: [] })
  const writes = tools.find(({ name }) => name === 'write_memory')
  const ctx = { table, agent, seed: newSeed() } as AgentCaller
  expect(await writes?.call(ctx, { key: 'tea', text: 'green' } as never)).toEqual({
    key: 'tea',
    saved: true,
  })
})
