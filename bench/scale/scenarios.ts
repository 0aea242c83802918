import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { hoursAMonth, tableMillion } from '../costs/prices.ts'
import { rates } from './cluster.ts'
import { startWorld, type World } from './world.ts'

/** The outcome of a scenario: a line of the table, and whether it meets its limit. */
export interface Outcome {
  scenario: string
  what: string
  wanted: string
  good: boolean
}

const minutes = (count: number) => count * 60

/** All agents are healthy: the cost of a check, and the regularity of checks. */
export async function steady(size: number): Promise<Outcome[]> {
  await using world = await startWorld(size)
  await world.pass(minutes(4))
  const before = { ...world.units }
  const spent = { ...world.spent.checks }
  await world.pass(minutes(16))
  const { checks } = world.spent
  const agents = checks.agents - spent.agents
  const reads = (checks.reads - spent.reads) / agents
  const writes = (checks.writes - spent.writes) / agents
  const units = {
    reads: world.units.reads - before.reads,
    writes: world.units.writes - before.writes,
  }
  const month = ((hoursAMonth * 60) / 16) * (10_000 / size)
  const usd = (tableMillion(units) * month) / 1e6
  const { gaps } = world.looks
  const gap = gaps.sum / gaps.count / 1000
  const ticks = world.ticks.slice(-16)
  const tickRead = sum(ticks.map((one) => one.reads)) / ticks.length / size
  const cpu = (sum(ticks.map(({ cpuMs }) => cpuMs)) / ticks.length / size) * 1e5
  return [
    line(
      'well: a look',
      `${reads.toFixed(2)} read, ${writes.toFixed(2)} write units`,
      '≤ 1, 0',
      reads <= 1 && writes === 0,
    ),
    line('well: mean interval', `${gap.toFixed(1)} s`, '120 ± 5 s', Math.abs(gap - 120) <= 5),
    line(
      'well: a tick',
      `${tickRead.toFixed(3)} read units an agent; ${Math.round(cpu)} ms of CPU for 100,000`,
      '≤ 0.1',
      tickRead <= 0.1,
    ),
    line('well: table, 10,000 agents', `$${usd.toFixed(1)} a month`, '≤ $40', usd <= 40),
  ]
}

/** One in a hundred hangs, with others every ten minutes. */
export async function hung(size: number): Promise<Outcome[]> {
  await using world = await startWorld(size)
  await world.pass(minutes(2))
  for (let round = 0; round < 2; round++) {
    for (const [n, { id }] of world.agents.entries()) if (n % 100 === round * 50) silence(world, id)
    await world.pass(minutes(10))
  }
  const { looks } = world
  const late = looks.lateMs.toSorted((a, b) => a - b)
  const p99 = (late[Math.floor(late.length * 0.99)] ?? 0) / 1000
  const stale = (100 * looks.stale) / Math.max(1, late.length)
  const rows = await rowsOf(world)
  const up = rows.filter(({ status }) => status === 'running').length
  return [
    line('1 % hung: stale looks', `${stale.toFixed(2)} %`, '≤ 5 %', stale <= 5),
    line('1 % hung: p99 lateness', `${p99.toFixed(1)} s`, '≤ 180 s', p99 <= 180),
    line('1 % hung: back', `${percent(up, size)} run`, '≥ 99.5 %', up / size >= 0.995),
  ]
}

/** Half of the agents fall silent at the same time, without an event. */
export async function halfDead(size: number): Promise<Outcome[]> {
  await using world = await startWorld(size)
  await world.pass(minutes(2))
  const dead = world.agents.filter((_, n) => n % 2 === 0)
  for (const { id } of dead) silence(world, id)
  const began = world.clock.now
  const asked = await until(world, minutes(15), dead, isAsked)
  return [
    line(
      'half dead: all asked to start',
      told(asked, began),
      '≤ 5 min',
      asked !== undefined && asked - began <= 300_000,
    ),
    line('half dead: given up', `${await givenUp(world)}`, '0', (await givenUp(world)) === 0),
  ]
}

/** A third of the agents lose their machines at the same time, with events from ECS. */
export async function zoneLost(size: number): Promise<Outcome[]> {
  await using world = await startWorld(size)
  await world.pass(minutes(2))
  const lost = world.agents.filter((_, n) => n % 3 === 0)
  const began = world.clock.now
  for (const { id } of lost) {
    const task = world.cluster.runningTask(id)
    if (task !== undefined) world.cluster.lose(task)
  }
  const asked = await until(world, minutes(15), lost, isAsked)
  const back = await until(world, minutes(60), lost, runsAnew)
  const floor = lost.length / rates.launches.perSecond
  return [
    line(
      'zone lost: all asked to start',
      told(asked, began),
      '≤ 5 min',
      asked !== undefined && asked - began <= 300_000,
    ),
    line(
      'zone lost: all run',
      `${told(back, began)}; ECS alone takes ${(floor / 60).toFixed(1)} min`,
      'ECS + 5 min',
      back !== undefined && back - began <= floor * 1000 + 300_000,
    ),
    line('zone lost: given up', `${await givenUp(world)}`, '0', (await givenUp(world)) === 0),
  ]
}

/** A tenth of the agents are restarted at the same time, as after a change of the image for all. */
export async function restarted(size: number): Promise<Outcome[]> {
  await using world = await startWorld(size)
  await world.pass(minutes(2))
  const some = world.agents.filter((_, n) => n % 10 === 0)
  const began = world.clock.now
  for (const agent of some) await restart(world, agent)
  const back = await until(world, minutes(90), some, runsAnew)
  const stops = world.cluster.calls.stop / some.length
  const floor = some.length / rates.launches.perSecond
  return [
    line(
      'tenth restarted: all run',
      `${told(back, began)}; ECS alone takes ${(floor / 60).toFixed(1)} min`,
      'ECS + 10 min',
      back !== undefined && back - began <= floor * 1000 + 600_000,
    ),
    line('tenth restarted: StopTask', `${stops.toFixed(1)} a restart`, '≤ 4', stops <= 4),
    line('tenth restarted: dead letters', `${world.dead.messages}`, '0', world.dead.messages === 0),
  ]
}

/** For half an hour, ECS accepts tasks but cannot start them. Meanwhile, two in a hundred agents are started. */
export async function refused(size: number): Promise<Outcome[]> {
  await using world = await startWorld(size)
  await world.pass(minutes(2))
  world.cluster.refusing = true
  const some = world.agents.filter((_, n) => n % 50 === 0)
  for (const agent of some) await restart(world, agent)
  await world.pass(minutes(30))
  const refusedRows = await Promise.all(some.map(world.rowOf))
  const waiting = refusedRows.filter(({ status }) => status === 'provisioning').length
  world.cluster.refusing = false
  const began = world.clock.now
  const back = await until(world, minutes(30), some, runsAnew)
  const lost = await givenUp(world)
  return [
    line(
      '30 min refused: meanwhile',
      `${percent(waiting, some.length)} wait, ${lost} given up, ${world.dead.messages} dead letters`,
      '0, 0',
      lost === 0 && world.dead.messages === 0,
    ),
    line(
      '30 min refused: all run',
      told(back, began),
      '≤ 5 min',
      back !== undefined && back - began <= 300_000,
    ),
  ]
}

/** Restarts an agent as an operator does. */
async function restart(world: World, one: Agent): Promise<void> {
  const agent = await world.rowOf(one)
  await restartAgent(world.services, { agent, reason: 'restart', by: 'operator' })
}

function silence(world: World, agentId: string): void {
  const task = world.cluster.runningTask(agentId)
  if (task !== undefined) task.silent = true
}

async function rowsOf(world: World, agents: readonly Agent[] = world.agents): Promise<Agent[]> {
  const rows: Agent[] = []
  for (const agent of agents) rows.push(await world.rowOf(agent))
  return rows
}

/** Returns whether a restart of the agent was requested. */
const isAsked = ({ generation }: Agent) => generation > 1

const runsAnew = ({ generation, status }: Agent) => generation > 1 && status === 'running'

async function givenUp(world: World): Promise<number> {
  const rows = await rowsOf(world)
  return rows.filter(
    ({ watchdog, status }) => watchdog.state === 'crash_loop' || status === 'error',
  ).length
}

/**
 * Advances time in steps of ten seconds until a condition has held for each agent.
 * @returns the time when it held for the last one; undefined if it never did
 */
async function until(
  world: World,
  seconds: number,
  agents: readonly Agent[],
  holds: (row: Agent) => boolean,
): Promise<number | undefined> {
  const end = world.clock.now + seconds * 1000
  const left = [...agents]
  while (world.clock.now < end) {
    await world.pass(10)
    trace?.(world)
    for (let next = left.at(-1); next !== undefined; next = left.at(-1)) {
      if (!holds(await world.rowOf(next))) break
      left.pop()
    }
    if (left.length === 0) return world.clock.now
  }
  return undefined
}

/** With TRACE set, prints the queue lengths over time. */
const trace =
  process.env.TRACE === undefined
    ? undefined
    : (world: World) =>
        void process.stderr.write(
          `${new Date(world.clock.now).toISOString()} ${JSON.stringify({ ...world.waiting(), ...world.cluster.calls })}\n`,
        )

function told(at: number | undefined, began: number): string {
  return at === undefined ? 'never' : `${((at - began) / 60_000).toFixed(1)} min`
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function line(scenario: string, what: string, wanted: string, good: boolean): Outcome {
  return { scenario, what, wanted, good }
}
