import { consumeProvisioning } from '#shared/agents/fleet/provisioning/consume.ts'
import { provisioning } from '#shared/agents/fleet/requests/topic.ts'
import { observeTasks } from '#shared/agents/fleet/task-states/observe.ts'
import { taskStates } from '#shared/agents/fleet/task-states/topic.ts'
import { taskEvents } from '#shared/agents/fleet/tasks/topic.ts'
import { checkAgents } from '#shared/agents/fleet/watchdog/check-all.ts'
import { observeTask } from '#shared/agents/fleet/watchdog/observe-task.ts'
import { type WatchdogRound, tick } from '#shared/agents/fleet/watchdog/tick.ts'
import { type Check, checks } from '#shared/agents/fleet/watchdog/topic.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog, type Log } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { agentWrites } from '#tests/support/agents/agent-rows.ts'
import { agentOf } from './agents.ts'
import { Clock } from './clock.ts'
import { Cluster } from './cluster.ts'
import { Lanes } from './lanes.ts'
import { meteredTable } from './table.ts'

/** The duration of a message's handling, in milliseconds: a probe with and without a response, an event, an ECS call. */
const takes = { answered: 100, silent: 5000, event: 100, call: 300 }

const quiet: Log = { ...createLog(), info: () => {}, warn: () => {}, error: () => {} }

/** Statistics of regular checks. */
interface Looks {
  made: number
  /** The number of checks that came after the next one was due. */
  stale: number
  lateMs: number[]
  /** The last check of each agent, and the milliseconds between its checks. */
  last: Map<string, number>
  gaps: { count: number; sum: number }
}

/**
 * Runs the fleet's own verbs with a table in memory and simulated time, queues and containers. It is one process, and
 * everything happens sequentially and in the same order every time.
 */
export async function startWorld(size: number) {
  const clock = new Clock(Date.UTC(2026, 0, 1))
  const installed = clock.install()
  const { table, units, close } = await meteredTable()
  const config = loadConfig({
    BACKEND_URL: 'https://backend.example',
    WALLET_ENCRYPTION_KEY: 'a key that is long enough for the bench',
    AGENT_IMAGE: 'agent:1',
  })
  const looks: Looks = {
    made: 0,
    stale: 0,
    lateMs: [],
    last: new Map(),
    gaps: { count: 0, sum: 0 },
  }
  const ticks: (WatchdogRound & { cpuMs: number; reads: number })[] = []
  const dead = { messages: 0 }
  const spent = { checks: { reads: 0, writes: 0, agents: 0 } }

  const lanes = {
    checks: new Lanes(clock, 'checks'),
    'task-events': new Lanes(clock, 'task-events'),
    'task-states': new Lanes(clock, 'task-states'),
    provisioning: new Lanes(clock, 'provisioning'),
  }
  const isLane = (queue: string): queue is keyof typeof lanes => queue in lanes

  function post(queue: string, body: unknown, delaySeconds = 0): void {
    if (isLane(queue)) lanes[queue].post(body, Math.ceil(delaySeconds) * 1000)
  }
  const queues: Queues = {
    send: async ({ queue }, body, options) => post(queue, body, options?.delaySeconds),
    sendAll: async ({ queue }, bodies, options) => {
      for (const body of bodies) post(queue, body, options?.delaySeconds)
    },
  }
  const cluster = new Cluster(clock, (event) => post('task-events', event))
  const probe = async (_address: unknown, agentId: string) =>
    cluster.answersNow(agentId)
      ? { healthy: true as const, named: true }
      : { healthy: false as const, cause: 'its gateway did not answer in time' }
  const fleet = { table, queues, log: quiet, containers: cluster.port }
  const watchdog = { table, queues, log: quiet, settings: config, probe }

  // Created once and not for each message, as in the functions.
  const messages = {
    checks: checks.schema(),
    taskEvents: taskEvents.schema(),
    taskStates: taskStates.schema(),
    provisioning: provisioning.schema(),
  }

  lanes.checks.handle = {
    lasts: (bodies) =>
      bodies.some((body) => messages.checks.parse(body).agents.some((one) => isSilent(one)))
        ? takes.silent
        : takes.answered,
    async take(body) {
      const { agents } = messages.checks.parse(body)
      for (const check of agents) note(check)
      const before = { ...units }
      await checkAgents(watchdog, agents)
      spent.checks.reads += units.reads - before.reads
      spent.checks.writes += units.writes - before.writes
      spent.checks.agents += agents.length
    },
  }
  lanes['task-events'].handle = {
    lasts: () => takes.event,
    take: (body) => observeTask(watchdog, messages.taskEvents.parse(body), clock.now),
  }
  lanes['task-states'].handle = {
    lasts: () => takes.call,
    sideBySide: true,
    take: (body) => observeTasks(fleet, messages.taskStates.parse(body)),
  }
  lanes.provisioning.handle = {
    lasts: () => takes.call,
    take: (body) =>
      consumeProvisioning({ ...fleet, config, onDeleted: [] }, messages.provisioning.parse(body)),
  }
  for (const one of Object.values(lanes)) one.onDead = () => void dead.messages++

  const isSilent = ({ agentId }: Check) => cluster.hangs(agentId)

  function note({ agentId, look }: Check): void {
    if (look === undefined) return
    const late = clock.now - look
    looks.lateMs.push(late)
    if (late >= config.WATCHDOG_CHECK_INTERVAL * 1000) {
      looks.stale++
      return
    }
    looks.made++
    const last = looks.last.get(agentId)
    if (last !== undefined) {
      looks.gaps.count++
      looks.gaps.sum += clock.now - last
    }
    looks.last.set(agentId, clock.now)
  }

  async function tickOnce(): Promise<void> {
    const [before, reads] = [process.cpuUsage(), units.reads]
    const waiting = async (queue: 'checks' | 'provisioning') => lanes[queue].waiting
    const at = clock.now
    const round = await tick({ ...watchdog, waiting }, { now: at, at })
    const { user, system } = process.cpuUsage(before)
    ticks.push({ ...round, cpuMs: (user + system) / 1000, reads: units.reads - reads })
    clock.after(60_000, tickOnce)
  }

  const agents: Agent[] = []
  for (let made = 0; made < size; made += 30) {
    const some = Array.from({ length: Math.min(30, size - made) }, (_, n) =>
      agentOf(made + n, cluster),
    )
    await table.transact(
      some.flatMap((agent) => [
        ...agentWrites(agent),
        { put: { pk: `agent#${agent.id}`, sk: 'owner', userId: agent.userId } },
      ]),
    )
    agents.push(...some)
  }
  units.reads = 0
  units.writes = 0
  clock.after(0, tickOnce)

  return {
    clock,
    cluster,
    agents,
    table,
    queues,
    config,
    /** The dependencies of verbs that a person calls. */
    services: { table, queues, log: quiet, config: { ...config, deployed: true } },
    looks,
    ticks,
    units,
    dead,
    spent,
    /** Advances the time. */
    pass: (seconds: number) => clock.runUntil(clock.now + seconds * 1000),
    /** Returns the number of waiting messages by queue. */
    waiting: () =>
      Object.fromEntries(Object.entries(lanes).map(([queue, { waiting }]) => [queue, waiting])),
    rowOf: async ({ userId, id: agentId }: Agent): Promise<Agent> => {
      const row = await readAgent(table, { userId, agentId })
      if (row === undefined) throw new Error(`${agentId} is gone`)
      return row
    },
    async [Symbol.asyncDispose](): Promise<void> {
      installed[Symbol.dispose]()
      await close()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
