import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { taskPages } from '#shared/platform/containers/all-tasks.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { watched } from '#tests/support/agents/watched-fleet.ts'
import { eventually, untilFound } from '#tests/support/clock/eventually.ts'
import { trusted } from '#tests/support/platform/context.ts'
import { copyTable, restoreTable } from '#tests/support/platform/table-copy.ts'
import { deleteAgent } from '../delete.ts'
import { restartAgent } from '../lifecycle/restart.ts'
import { startAgent } from '../lifecycle/start.ts'
import { stopAgent } from '../lifecycle/stop.ts'
import { isReady } from '../warm-pool/ready.ts'
import { waitingContainers } from '../warm-pool/waiting.ts'
import { sweepOrphans } from './sweep.ts'

const hour = 3_600_000

let fleet: Fleet
beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

/** Hours pass without work, and the agent must not sleep. */
const running = async () => fleet.untilRunning(await fleet.started({ sleepAfterMinutes: null }))
const isDown = ({ taskStatus }: Agent) => taskStatus === 'STOPPED'

const sweepAt = (hours: number) =>
  sweepOrphans(
    {
      table: fleet.table,
      queues: fleet.queues,
      tasks: taskPages('fleet', fleet.endpoint),
      log: createLog(),
    },
    Date.now() + hours * hour,
  )

const isAsWanted = ({ desired, status, taskStatus }: Agent) =>
  desired === 'running' ? status === 'running' : taskStatus !== 'RUNNING'

/** Runs one round of the platform: the watchdog's checks, the sweep, and their messages. */
async function round(agents: readonly Agent[], hours: number) {
  const dog = watched(fleet)
  for (const agent of agents) await dog.look(agent, hours * 3600)
  await dog.deliver()
  const swept = await sweepAt(hours)
  for (const agent of agents)
    await untilFound(async () => {
      await dog.deliver()
      const row = await fleet.row(agent)
      if (isAsWanted(row)) return true
      const task =
        row.taskArn === undefined ? undefined : await fleet.containers.describe(row.taskArn)
      // The events of its start came before the restore. The watchdog requests its state after a while.
      if (task?.status !== row.taskStatus) await dog.look(agent, 100)
      return false
    })
  return swept
}

describe('tasks without an agent', () => {
  it('are stopped, and each agent has one task, within three rounds after a restore of an hour-old table', async () => {
    const ctx = trusted(fleet.services)
    const stored = await running()
    const restarted = await running()
    const deleted = await running()
    const stopped = await running()
    const started = await running()
    await stopAgent(ctx, { agent: started })
    await fleet.until(started, isDown)
    const anHourAgo = await copyTable(fleet.table)

    const { generation } = await restartAgent(ctx, { agent: restarted, reason: 'restart' })
    const again = await fleet.until(
      restarted,
      (row) => row.generation === generation && row.status === 'running',
    )
    await deleteAgent(ctx, { agentId: deleted.id, owner: undefined })
    await stopAgent(ctx, { agent: stopped })
    await fleet.until(stopped, isDown)
    await startAgent(ctx, { agent: await fleet.row(started) })
    await fleet.untilRunning(started)
    const created = await running()
    await eventually(async () => {
      await fleet.deliver()
      expect(await fleet.wantedTasks(deleted)).toEqual([])
    })
    // Messages in flight belong to the table before the restore.
    fleet.forget()
    await restoreTable(fleet.table, anHourAgo)

    const wanted = [stored, restarted, deleted, stopped]
    const rounds = []
    for (const hours of [1, 2, 3]) rounds.push(await round([...wanted, started], hours))

    await eventually(async () => {
      await fleet.deliver()
      for (const agent of [created, started]) expect(await fleet.wantedTasks(agent)).toEqual([])
    })
    for (const agent of wanted) {
      const row = await fleet.row(agent)
      expect(row).toMatchObject({ status: 'running', desired: 'running' })
      expect(await fleet.wantedTasks(agent)).toEqual([row.taskArn])
    }
    expect(await fleet.row(stored)).toMatchObject({ taskArn: stored.taskArn, generation: 1 })
    // The container that was started in the meantime matches the row's request and continues.
    expect(await fleet.row(restarted)).toMatchObject({ taskArn: again.taskArn })
    expect(rounds[0]).toMatchObject({ orphans: 0 })
    expect(rounds[2]).toMatchObject({ tasks: wanted.length, orphans: 0, suspects: 0 })
  })

  it('are kept while they are recent, and until two rounds found them', async () => {
    const { containers } = fleet
    const { arn } = await containers.run({
      clientToken: 'young',
      startedBy: 'agt_00000000000000000000000000',
      family: 'agent-label',
      environment: { AGENT_GENERATION: '1' },
      tags: {},
    })
    expect(await sweepAt(0)).toMatchObject({ suspects: 0, orphans: 0 })
    expect(await sweepAt(1)).toMatchObject({ suspects: 1, orphans: 0 })
    // The same round, delivered twice.
    expect(await sweepAt(1)).toMatchObject({ orphans: 0 })
    expect(fleet.sent).toEqual([])
    expect(await sweepAt(2)).toMatchObject({ suspects: 0, orphans: 1 })
    expect(fleet.sent).toMatchObject([{ body: { kind: 'stop', taskArn: arn } }])
    await fleet.deliver()
    await eventually(async () => expect((await containers.describe(arn))?.status).toBe('STOPPED'))
  })

  it('are kept if they are most of a fleet, as with a wrong table', async () => {
    async function* tasks() {
      yield Array.from({ length: 12 }, (_, i) => ({
        arn: `arn:aws:ecs:::task/fleet/${i}`,
        startedBy: `agt_${String(i).padStart(26, '0')}`,
        status: 'RUNNING',
        generation: 1,
        createdAt: new Date(0).toISOString(),
        health: 'HEALTHY' as const,
        version: 1,
        address: undefined,
        startedAt: undefined,
        stop: undefined,
      }))
    }
    const ctx = { table: fleet.table, queues: fleet.queues, tasks, log: createLog() }
    for (const hours of [1, 2]) await sweepOrphans(ctx, Date.now() + hours * hour)
    expect(await sweepOrphans(ctx, Date.now() + 3 * hour)).toMatchObject({
      orphans: 12,
      stopped: 0,
    })
    expect(fleet.sent).toEqual([])
  })

  it('are kept if somebody else started them, or a start is under way', async () => {
    const agent = await fleet.started()
    const services = { clientToken: 'router', startedBy: 'somebody-else', family: 'agent-label' }
    const { arn } = await fleet.containers.run({ ...services, environment: {}, tags: {} })
    // The process that began the start died before it recorded the task.
    const begun = await fleet.containers.run({
      clientToken: 'begun',
      startedBy: agent.id,
      family: 'agent-label',
      environment: { AGENT_GENERATION: String(agent.generation) },
      tags: {},
    })
    for (const hours of [1, 2])
      expect(await sweepAt(hours)).toMatchObject({ suspects: 0, orphans: 0 })
    for (const task of [arn, begun.arn]) await fleet.containers.stop(task, 'the end of the test')
  })
})

describe('a pool container that an agent got after the time of a restored table', () => {
  const sizes = { WARM_CONTAINERS: { label: 1 } }
  const pool = () => waitingContainers(fleet.table, 'label')
  afterEach(async () => {
    await fleet.keepWarm({ WARM_CONTAINERS: undefined })
    await fleet.deliver()
  })

  /** Starts an agent with a warm container, if one is available. */
  async function startsWarm(agent: Agent): Promise<Agent> {
    await startAgent(trusted(fleet.services), { agent })
    const config = { ...fleet.consumer.config, ...sizes }
    for (const { body } of fleet.sent.splice(0))
      await fleet.consume(body, { ...fleet.consumer, config })
    return fleet.row(agent)
  }

  /**
   * Restores rows from before a container was assigned: it waits there, but now belongs to one of two stopped agents.
   */
  async function takenSince() {
    const [taker, other] = [await running(), await running()]
    for (const agent of [taker, other]) {
      await stopAgent(trusted(fleet.services), { agent })
      await fleet.until(agent, isDown)
    }
    await fleet.keepWarm(sizes)
    const { taskArn } = await untilFound(async () => {
      await fleet.deliver()
      return (await pool()).find((one) => isReady(one, Date.now()))
    })
    const earlier = await copyTable(fleet.table)
    expect(await startsWarm(await fleet.row(taker))).toMatchObject({ taskArn })
    await fleet.untilRunning(taker)
    fleet.forget()
    return { earlier, taskArn: String(taskArn), other: await fleet.row(other) }
  }

  const statusOf = async (arn: string) => (await fleet.containers.describe(arn))?.status

  it('is given to no other agent, and is stopped within a round of the pool', async () => {
    const { earlier, taskArn, other } = await takenSince()
    const anHourOlder = ({ createdAt, askedAt, ...item }: Item) => ({
      ...item,
      ...(typeof createdAt === 'number' && { createdAt: createdAt - hour }),
      ...(typeof askedAt === 'number' && { askedAt: askedAt - hour }),
    })
    const isOfPool = ({ pk }: Item) => pk.startsWith('warm#')
    await restoreTable(
      fleet.table,
      earlier.map((item) => (isOfPool(item) ? (anHourOlder(item) as Item) : item)),
    )

    expect((await startsWarm(other)).taskArn).not.toBe(taskArn)
    await fleet.keepWarm(sizes)
    expect((await pool()).map((one) => one.taskArn)).not.toContain(taskArn)
    await eventually(async () => {
      await fleet.deliver()
      expect(await statusOf(taskArn)).toBe('STOPPED')
    })
  })

  it('is stopped at once if another agent gets it first, which then gets its own', async () => {
    const { earlier, taskArn, other } = await takenSince()
    await restoreTable(fleet.table, earlier)

    expect(await startsWarm(other)).toMatchObject({ taskArn })
    const up = await watched(fleet).until(other, ({ status }) => status === 'running')
    expect(up.taskArn).not.toBe(taskArn)
    expect(await statusOf(taskArn)).toBe('STOPPED')
    expect(await fleet.environmentOf(up)).toMatchObject({ AGENT_ID: other.id })
  })
})
