import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { processesOf } from '../support/stack/processes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

/** A hang is detected after 20 s, and a repair checks its success after 30 s. */
const patienceMs = 180_000

let stack: OwnStack
let user: TestUser
let agentId: string

beforeAll(async () => {
  // The watchdog's checks cannot detect the hang in time: only the container itself can.
  stack = await startOwnStack({ WATCHDOG_CHECK_INTERVAL: '3600' })
  user = await stack.newSubscriber()
  agentId = await stack.runningAgent(user)
})
afterAll(() => stack?.[Symbol.asyncDispose]())

it('an agent whose process hangs is stopped by its own container, and restarts', async () => {
  const [hung] = processesOf(stack.dataDir, agentId)
  process.kill(hung?.pid ?? 0, 'SIGSTOP')
  await eventually(async () => {
    const agent = await stack.agentOf(user, agentId)
    expect(agent).toMatchObject({ status: 'running', watchdog: { state: 'running' } })
    expect(agent.watchdog).toMatchObject({
      incidents: [
        {
          cause: 'it was killed, perhaps because it hung or ran out of memory (exit code 137)',
          step: 'restart',
          attempt: 1,
          resolvedAt: expect.any(String),
        },
      ],
    })
  }, patienceMs)
  expect(processesOf(stack.dataDir, agentId)).toMatchObject([{ generation: 2 }])
  const { status } = await stack.chat(user, { message: 'Are you back?', agentId })
  expect(status).toBe(200)
})

it('an agent whose processes are all suspended, including its watchdog process, is repaired', async () => {
  const before = await stack.agentOf(user, agentId)
  expect(before).toMatchObject({ status: 'running' })
  const [stopped] = processesOf(stack.dataDir, agentId)
  // Stops its process group. The guard belongs to the group, so it cannot end the process.
  process.kill(-(stopped?.pid ?? Number.NaN), 'SIGSTOP')
  const { status } = await call(`${stack.now().web}/api/instance/${agentId}/repair`, {
    method: 'POST',
    headers: user.session,
  })
  expect(status).toBe(200)
  await eventually(async () => {
    expect(await stack.agentOf(user, agentId)).toMatchObject({ status: 'running' })
    const [next, ...more] = processesOf(stack.dataDir, agentId)
    expect(next?.generation).toBe((stopped?.generation ?? 0) + 1)
    expect(more).toEqual([])
  }, patienceMs)
})
