import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import type { TestUser } from '../support/http/client.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { agentProcesses } from '../support/stack/processes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

/**
 * Repeats an action until the stack is gone.
 * @returns the number of successes
 */
async function untilGone(once: () => Promise<{ status: number }>, onSuccess = () => {}) {
  for (let successes = 0; ;) {
    const answer = await once().catch(() => undefined)
    if (answer === undefined) return successes
    if (answer.status < 300) {
      successes++
      onSuccess()
    }
  }
}

/** Users who chat, read and create agents, all at the same time. */
function startLoad(stack: OwnStack, user: TestUser, ids: string[]) {
  const reached = Promise.withResolvers<void>()
  const replied = new Map<string, number>()
  const onReply = (agentId: string) => {
    replied.set(agentId, (replied.get(agentId) ?? 0) + 1)
    if (ids.every((id) => (replied.get(id) ?? 0) >= 5)) reached.resolve()
  }
  const done = Promise.all([
    ...ids.map((agentId) =>
      untilGone(
        () => stack.chat(user, { message: 'Hello!', agentId }),
        () => onReply(agentId),
      ),
    ),
    untilGone(async () => ({ status: (await stack.agentsOf(user)).length > 0 ? 200 : 500 })),
    untilGone(() => stack.askForAgent(user, { name: 'Late' })),
  ])
  return { reached: reached.promise, done }
}

/** The 10 s of contract.md, three times as long for a busy machine. */
const soonMs = 30_000

it('SIGTERM in the middle of work ends everything in time, and the next start restores it', async () => {
  // No regular check finds an agent slow on a machine that starts all of them at the same time: only crashes remain.
  const stack = await startOwnStack({ WATCHDOG_CHECK_INTERVAL: '3600' })
  onTestFailed(() => void process.stdout.write(stack.now().output()))
  onTestFinished(() => stack[Symbol.asyncDispose]())
  const user = await stack.newSubscriber('collective')
  const ids = await Promise.all(
    Array.from({ length: 6 }, (_, n) => stack.runningAgent(user, `Agent ${n}`)),
  )
  const load = startLoad(stack, user, ids)
  await load.reached
  const { ms, code } = await stack.now().terminate()
  // A look right after the shutdown finds no agent process.
  expect(agentProcesses(stack.dataDir)).toEqual([])
  expect(code).toBe(0)
  expect(ms).toBeLessThan(soonMs)
  const [...counts] = await load.done
  expect(counts.slice(0, 6).every((count) => count > 0)).toBe(true)

  await stack.startAgain()
  const listed = (await stack.agentsOf(user)).map(({ id }) => id)
  expect(listed).toEqual(expect.arrayContaining(ids))
  await eventually(async () => expect(await stack.alive(user)).toEqual(listed), 100_000)
  for (const agentId of ids) {
    // A stop by a shutdown is not a crash.
    const { watchdog } = await stack.agentOf(user, agentId)
    expect(watchdog).toMatchObject({ incidents: [] })
    const before = (await stack.historyOf(user, agentId)).length
    expect(before).toBeGreaterThan(1)
    expect((await stack.chat(user, { message: 'Still there?', agentId })).status).toBe(200)
  }
  expect(await enginesOf(() => stack.now().endpoints).deadLetters()).toEqual({})
}, 240_000)
