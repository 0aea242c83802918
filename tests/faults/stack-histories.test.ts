import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { agentProcesses, killProcessesOf } from '../support/stack/processes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { seed } from '../support/vitest/seed.ts'
import { type Random, randomFrom } from './world/random.ts'

const agents = 6
const lives = 2
/** The number of parallel clients. */
const parallel = 3

const verbs = ['start', 'stop', 'restart', 'repair', 'configure', 'kill'] as const

interface Asked {
  verb: (typeof verbs)[number]
  answered: boolean
}

/** Acts on agents, on each one at a time, until the stack is gone. */
async function untilGone(
  stack: OwnStack,
  user: TestUser,
  ids: readonly string[],
  asked: Map<string, Asked>,
  random: Random,
): Promise<void> {
  const busy = new Set<string>()
  async function client(): Promise<void> {
    for (;;) {
      const id = random.pick(ids.filter((one) => !busy.has(one)))
      busy.add(id)
      const verb = random.pick(verbs)
      if (verb !== 'kill') asked.set(id, { verb, answered: false })
      const status = await perform(stack, user, id, verb, random).catch(() => undefined)
      if (status === undefined) return
      expect(status).toBe(200)
      if (verb !== 'kill') asked.set(id, { verb, answered: true })
      busy.delete(id)
      await wait(random.below(150))
    }
  }
  await Promise.all(Array.from({ length: parallel }, client))
}

async function perform(
  stack: OwnStack,
  user: TestUser,
  id: string,
  verb: Asked['verb'],
  random: Random,
): Promise<number> {
  if (verb === 'kill') {
    await killProcessesOf(stack.dataDir, id)
    return 200
  }
  if (verb !== 'configure') return (await stack.lifecycle(user, id, verb)).status
  const { status } = await call(`${stack.now().web}/api/agents/${id}/config`, {
    method: 'PUT',
    headers: user.session,
    body: { config: { systemPrompt: `Say ${random.below(3)}` } },
  })
  return status
}

it('agents with random commands reach their desired state while the whole stack is killed', async () => {
  const random = randomFrom(seed)
  const stack = await startOwnStack({
    WATCHDOG_CHECK_INTERVAL: '5',
    WATCHDOG_DEGRADED_CHECK_INTERVAL: '1',
    WATCHDOG_REPAIR_STOP_WAIT: '1',
    WATCHDOG_REPAIR_START_WAIT: '2',
  })
  onTestFailed(() => void process.stdout.write(stack.now().output()))
  onTestFinished(() => stack[Symbol.asyncDispose]())
  const user = await stack.newSubscriber('network')
  const ids = await Promise.all(
    Array.from({ length: agents }, (_, n) => stack.provision(user, `Agent ${n}`)),
  )
  const requests = new Map<string, Asked>()
  for (let life = 0; life < lives; life++) {
    const working = untilGone(stack, user, ids, requests, random)
    await wait(500 + random.below(2500))
    await stack.now().kill()
    await working
    await stack.startAgain()
  }

  const engines = enginesOf(() => stack.now().endpoints)
  const about = { seed, asked: Object.fromEntries(requests) }
  await eventually(async () => {
    // Sends the due checks immediately instead of waiting for the next minute.
    const checks = ids.map((agentId) => ({ userId: user.id, agentId, dueAt: null }))
    await engines.sendBatch('checks', [{ agents: checks }])
    const listed = await stack.agentsOf(user)
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    for (const { id, status } of listed) {
      const { verb, answered } = requests.get(id) ?? { verb: 'start', answered: true }
      const allowed = verb === 'stop' ? ['stopped'] : ['running', 'error']
      const all = ['stopped', 'running', 'error']
      const oneOf = answered && verb !== 'configure' ? allowed : all
      expect({ ...about, id, fits: oneOf.includes(status) }).toEqual({ ...about, id, fits: true })
    }
    const running = listed.filter(({ status }) => status === 'running').map(({ id }) => id)
    const processes = agentProcesses(stack.dataDir)
    expect(processes.map(({ agentId }) => agentId).toSorted()).toEqual(running.toSorted())
    const tasks = await engines.wantedTasks()
    expect(tasks.map(({ taskArn }) => taskArn).toSorted()).toEqual(
      processes.map(({ taskArn }) => taskArn).toSorted(),
    )
  }, 150_000)
  expect(await engines.deadLetters()).toEqual({})
}, 300_000)
