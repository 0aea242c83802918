import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import type { TestUser } from '../support/http/client.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { agentProcesses } from '../support/stack/processes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { seed } from '../support/vitest/seed.ts'
import { randomFrom } from './world/random.ts'

/** The 10 s of contract.md, three times as long for a busy machine. */
const soonMs = 30_000

const wanted = 100
/** The number of parallel requests, as of a busy client. */
const parallel = 8

/**
 * Requests all agents, each with an idempotency key of its own, until the stack dies.
 * @returns the acknowledged agents by key
 */
async function provisionAll(
  stack: OwnStack,
  user: TestUser,
  onAnswer: (count: number) => void,
): Promise<Map<number, string>> {
  const acknowledged = new Map<number, string>()
  let next = 0
  async function client(): Promise<void> {
    while (next < wanted) {
      const n = next++
      const answer = await stack
        .askForAgent(user, { name: `Agent ${n}` }, { 'idempotency-key': `agent-${n}` })
        .catch(() => undefined)
      if (answer === undefined) return
      expect(answer.status).toBe(201)
      acknowledged.set(n, (answer.body.agent as { id: string }).id)
      onAnswer(acknowledged.size)
    }
  }
  await Promise.all(Array.from({ length: parallel }, client))
  return acknowledged
}

it('a kill of everything during 100 provisions neither loses nor duplicates an agent', async () => {
  const random = randomFrom(seed)
  const stack = await startOwnStack()
  onTestFailed(() => void process.stdout.write(`${stack.now().output()}\nseed ${seed}\n`))
  onTestFinished(() => stack[Symbol.asyncDispose]())
  const user = await stack.newSubscriber('network')
  // Early enough that some requests remain, no matter how late the kill arrives.
  const killAfter = 10 + random.below(60)
  const killDelayMs = random.below(20)
  let killed: Promise<void> | undefined
  const acknowledged = await provisionAll(stack, user, (count) => {
    if (count === killAfter) killed = wait(killDelayMs).then(() => stack.now().kill())
  })
  await killed
  expect(acknowledged.size).toBeLessThan(wanted)
  const lost = new Set(agentProcesses(stack.dataDir).map(({ pid }) => pid))

  await stack.startAgain()
  const ids = (await stack.agentsOf(user)).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(expect.arrayContaining([...acknowledged.values()]))
  // Some of the interrupted requests had created their agent without a response.
  expect(ids.length).toBeLessThanOrEqual(acknowledged.size + parallel)

  await eventually(async () => {
    const alive = new Set(await stack.alive(user))
    expect([...acknowledged.values()].filter((id) => !alive.has(id))).toEqual([])
  }, 120_000)
  // The watchdog's rounds find an agent whose start was interrupted before its message was sent.
  await eventually(async () => expect(await stack.alive(user)).toEqual(ids), 100_000)
  // The kill of everything is not an agent's fault: no agent counts as crashed.
  for (const id of ids) {
    const { incidents } = (await stack.agentOf(user, id)).watchdog
    expect(incidents.filter(({ step }) => step !== 'detected')).toEqual([])
  }
  // A caller that retries with the same key gets the same agent.
  for (const [n, id] of [...acknowledged].slice(0, 5)) {
    const key = { 'idempotency-key': `agent-${n}` }
    const again = await stack.askForAgent(user, { name: `Agent ${n}` }, key)
    expect([again.status, (again.body.agent as { id: string }).id]).toEqual([201, id])
  }

  const engines = enginesOf(() => stack.now().endpoints)
  for (const queue of ['provisioning', 'task-events'] as const) await engines.untilEmpty(queue)
  expect(await engines.deadLetters()).toEqual({})
  const processes = agentProcesses(stack.dataDir)
  expect(processes.map(({ agentId }) => agentId).toSorted()).toEqual(ids.toSorted())
  expect(processes.filter(({ pid }) => lost.has(pid))).toEqual([])
  const tasks = await engines.wantedTasks()
  expect(tasks.map(({ startedBy }) => startedBy).toSorted()).toEqual(ids.toSorted())
  expect(tasks.map(({ taskArn }) => taskArn).toSorted()).toEqual(
    processes.map(({ taskArn }) => taskArn).toSorted(),
  )

  const { ms, code } = await stack.now().terminate()
  expect(agentProcesses(stack.dataDir)).toEqual([])
  expect([code, ms < soonMs]).toEqual([0, true])
}, 600_000)
