import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Agent, agentKey, agentShards } from '#shared/agents/record/agent.ts'
import { dueFrom, hasOnlyRegularChecks } from '#shared/agents/record/watch/place.ts'
import { rested } from '#shared/agents/watchdog/forgive.ts'
import { newId } from '#shared/platform/ids.ts'
import { hashOf } from '#shared/platform/table/shard.ts'
import { agentWrites } from '#tests/support/agents/agent-rows.ts'
import { startWatchdog, type TestWatchdog } from '#tests/support/agents/watchdog.ts'
import { deleteAgent } from '../delete.ts'
import { anyAgent, epoch } from './testing/agents.ts'
import { checks } from './topic.ts'
import { timeOfTurn } from './turns.ts'

const now = epoch
const minute = 60_000
const count = 1000
const interval = 120_000

/** Returns the next turn of a healthy agent. */
const turnOf = ({ id }: Pick<Agent, 'id'>, from: number) => timeOfTurn(hashOf(id), from, interval)

async function put(dog: TestWatchdog, agents: readonly Agent[]): Promise<void> {
  for (let i = 0; i < agents.length; i += 50)
    await dog.ctx.table.transact(agents.slice(i, i + 50).flatMap(agentWrites))
}

const messagesOf = (dog: TestWatchdog) =>
  dog.taken('checks').map(({ message, delaySeconds }) => ({
    agents: checks.schema().parse(message).agents,
    delaySeconds,
  }))

describe('a thousand healthy agents', () => {
  let dog: TestWatchdog
  let agents: Agent[]

  beforeAll(async () => {
    dog = await startWatchdog()
    const pattern = await dog.runningAgent(now, -3600)
    const others = Array.from({ length: count - 1 }, (_, n) => ({
      ...pattern,
      id: newId('agt'),
      userId: n % 7 === 0 ? null : `usr_${n % 7}`,
    }))
    await put(dog, others)
    agents = [pattern, ...others]
  })
  afterAll(() => dog.close())

  it('are checked once in two ticks, in their slots, in full messages', async () => {
    const observed = new Map<string, number>()
    for (const at of [now, now + minute]) {
      const round = await dog.round(at)
      const messages = messagesOf(dog)
      const looked = messages.flatMap(({ agents: some }) => some)
      expect(round).toMatchObject({ looks: looked.length, due: 0, malformed: 0 })
      for (const { agents: some, delaySeconds } of messages)
        for (const { agentId, look = 0 } of some) {
          expect(observed.has(agentId)).toBe(false)
          observed.set(agentId, look)
          expect(look - at - delaySeconds * 1000).toBeGreaterThanOrEqual(0)
          expect(look - at - delaySeconds * 1000).toBeLessThan(5000)
        }
      expect(Math.max(...messages.map(({ agents: some }) => some.length))).toBe(25)
      // A minute has twelve buckets, each with one partly filled message.
      expect(messages.length).toBeLessThanOrEqual(looked.length / 25 + 12)
    }
    const wanted = agents.map((agent) => [agent.id, turnOf(agent, now)])
    expect(Object.fromEntries(observed)).toEqual(Object.fromEntries(wanted))
  })

  it('are read from other shards first each minute, so that no shard is always the last', async () => {
    const firsts = new Set<string>()
    const { table } = dog.ctx
    for (let n = 0; n < agentShards; n++) {
      let first: string | undefined
      dog.ctx.table = {
        ...table,
        query: (query) => {
          first ??= query.pk
          return table.query(query)
        },
      }
      await dog.round(now + n * minute)
      if (first !== undefined) firsts.add(first)
    }
    dog.ctx.table = table
    dog.taken()
    expect(firsts.size).toBe(agentShards / 4)
  })
})

describe('a watchdog tick', () => {
  /** Runs a round on a separate table with these agents. */
  async function roundOver(
    agents: Agent[],
    { spoil, at = now }: { spoil?: (dog: TestWatchdog) => Promise<unknown>; at?: number } = {},
  ) {
    await using own = await startWatchdog()
    await put(own, agents)
    await spoil?.(own)
    const round = await own.round(at)
    return { round, asked: messagesOf(own).flatMap((message) => message.agents), own }
  }

  it('finds by an agent’s index entry exactly the state of its row', async () => {
    const agents = fc
      .sample(anyAgent, { numRuns: 300, seed: 7 })
      .map((agent, n): Agent => Object.assign(agent, { id: `agt_${String(n).padStart(26, '0')}` }))
    const { asked, round } = await roundOver(agents)
    const due = agents.filter((agent) => (dueFrom(agent) ?? Infinity) <= now)
    const looked = agents.filter(
      (agent) =>
        dueFrom(agent) === undefined &&
        hasOnlyRegularChecks(agent) &&
        turnOf(agent, now) < now + minute,
    )
    expect(due.length).toBeGreaterThan(50)
    expect(looked.length).toBeGreaterThan(0)
    expect(round).toMatchObject({ due: due.length, looks: looked.length })
    expect(asked.map(({ agentId }) => agentId).toSorted()).toEqual(
      [...due, ...looked].map(({ id }) => id).toSorted(),
    )
  })

  it('finds all agents of the last release at once', async () => {
    await using own = await startWatchdog()
    const { table } = own.ctx
    const old = await Promise.all(
      Array.from({ length: 40 }, () => own.runningAgent(now, -100, { userId: 'usr_2' })),
    )
    for (const { id: agentId, userId } of old) {
      await table.update(agentKey({ userId, agentId }), { remove: ['watched'] })
      await table.delete({ pk: `user#${userId}`, sk: `watch#${agentId}` })
    }
    expect(await own.round(now)).toMatchObject({ misplaced: 40, looks: 0, due: 0 })
    for (const { agents } of messagesOf(own))
      for (const check of agents) await own.deliver(check, now)
    // From now on they are in the index by their turns.
    expect(await own.round(now + 4 * minute)).toMatchObject({ misplaced: 0 })
    own.taken()
    const looks = await Promise.all([5, 6].map((n) => own.round(now + n * minute)))
    expect(looks[0]!.looks + looks[1]!.looks).toBe(40)
  })

  it('continues if a row cannot be read', async () => {
    await using dog = await startWatchdog()
    const pattern = { ...(await dog.runningAgent(now)), userId: 'usr_2' }
    const agents = Array.from({ length: 20 }, () => ({ ...pattern, id: newId('agt') }))
    const [broken, half, ...well] = agents
    const spoil = async ({ ctx: { table } }: TestWatchdog) => {
      const key = (agent: Agent | undefined) =>
        agentKey({ userId: 'usr_2', agentId: agent?.id ?? '' })
      await table.update(key(broken), { remove: ['watchdog'] })
      await table.update(key(half), { set: { watchdog: { state: 'running', dueAt: 'soon' } } })
      for (const one of well) await table.update(key(one), { remove: ['watched'] })
    }
    const { round, asked } = await roundOver(agents, { spoil })
    expect(round).toMatchObject({ malformed: 2, misplaced: 18 })
    const unseen = asked.filter(({ look }) => look === undefined).map(({ agentId }) => agentId)
    expect(unseen.toSorted()).toEqual(well.map(({ id }) => id).toSorted())
  })

  it('sends nothing for resting agents, and repeats no message that still waits', async () => {
    await using dog = await startWatchdog()
    const resting = { desired: 'stopped', status: 'stopped', taskStatus: 'STOPPED' } as const
    const rest = await dog.runningAgent(now, 0, resting)
    await dog.round(now)
    dog.taken()
    expect((await dog.read(rest)).watched).toBeDefined()
    for (const seconds of [0, 1]) await dog.check(rest, now + seconds * 1000, null)
    expect((await dog.read(rest)).watched).toBeUndefined()
    const late = await dog.runningAgent(now, 0, {
      taskStatus: 'RUNNING',
      watchdog: { ...rest.watchdog, state: 'degraded', dueAt: now - 200_000 },
    })
    for (const jam of [{ checks: 501 }, { provisioning: 1001 }, { checks: undefined }]) {
      dog.mailbox.waiting = { checks: 10, provisioning: 10, ...jam }
      expect(await dog.round(now + minute)).toMatchObject({ due: 1, heldBack: 1 })
    }
    dog.mailbox.waiting = { checks: 10, provisioning: 10 }
    expect(await dog.round(now + 2 * minute)).toMatchObject({ due: 1, heldBack: 0 })
    const requests = messagesOf(dog).flatMap(({ agents }) => agents)
    expect(requests.filter(({ look }) => look === undefined)).toMatchObject([{ agentId: late.id }])
    expect(requests.map(({ agentId }) => agentId)).not.toContain(rest.id)
  })

  it('repeats no start, stop or deletion that still waits, even if it is late', async () => {
    await using dog = await startWatchdog()
    const updatedAt = new Date(now - 40_000).toISOString()
    const { watchdog } = await dog.runningAgent(now)
    const starting = { ...watchdog, state: 'starting', dueAt: null } as const
    const start = { status: 'provisioning', taskArn: undefined, taskStatus: undefined } as const
    const stop = { desired: 'stopped', watchdog: rested(watchdog, now), updatedAt } as const
    const waiting = [
      await dog.runningAgent(now, 0, { ...start, watchdog: starting, updatedAt }),
      await dog.runningAgent(now, 0, stop),
      await deleted(),
    ]
    const repaired = await dog.runningAgent(now, 0, {
      ...start,
      updatedAt,
      watchdog: { ...watchdog, state: 'repairing', repair: 'starting', dueAt: now - 20_000 },
    })
    async function deleted(): Promise<Agent> {
      const running = await dog.runningAgent(now)
      await deleteAgent(dog.ctx, { agentId: running.id, owner: undefined })
      const agent = { ...(await dog.read(running)), updatedAt }
      await put(dog, [agent])
      return agent
    }
    const asked = () =>
      messagesOf(dog)
        .flatMap(({ agents }) => agents)
        .flatMap(({ agentId, look }) => (look === undefined ? [agentId] : []))
        .toSorted()
    dog.taken()
    dog.mailbox.waiting = { checks: 10, provisioning: 1001 }
    expect(await dog.round(now)).toMatchObject({ due: 4, heldBack: 3 })
    expect(asked()).toEqual([repaired.id])
    dog.mailbox.waiting = { checks: 10, provisioning: 10 }
    expect(await dog.round(now + minute)).toMatchObject({ due: 4, heldBack: 0 })
    expect(asked()).toEqual([...waiting, repaired].map(({ id }) => id).toSorted())
  })

  it('sends newly due work, and all checks, if the queue length is unknown', async () => {
    await using dog = await startWatchdog()
    const due = await dog.runningAgent(now, 0, {
      watchdog: {
        ...(await dog.runningAgent(now)).watchdog,
        state: 'degraded',
        dueAt: now - 30_000,
      },
    })
    const lost = await dog.runningAgent(now, 0, {
      status: 'provisioning',
      taskArn: undefined,
      taskStatus: undefined,
      updatedAt: new Date(now - 40_000).toISOString(),
      watchdog: { ...due.watchdog, state: 'starting', dueAt: null },
    })
    dog.taken()
    dog.mailbox.waiting = { checks: undefined, provisioning: undefined }
    expect(await dog.round(now)).toMatchObject({ due: 2, heldBack: 0 })
    await dog.round(now + minute)
    const requests = messagesOf(dog).flatMap(({ agents }) => agents)
    const steps = requests.filter(({ look }) => look === undefined)
    expect(steps.map(({ agentId }) => agentId).toSorted()).toEqual([due.id, lost.id].toSorted())
    expect(requests.length).toBe(3)
  })

  it('sends work without a container, such as a notice, however many containers are awaited', async () => {
    await using dog = await startWatchdog()
    const notice = {
      kind: 'degraded',
      incidentAt: '',
      cause: '',
      attempt: 0,
      step: 'detected',
    } as const
    const { watchdog } = await dog.runningAgent(now)
    const owed = await dog.runningAgent(now, 0, { watchdog: { ...watchdog, unsent: [notice] } })
    dog.taken()
    dog.mailbox.waiting = { checks: 10, provisioning: 5000 }
    expect(await dog.round(now)).toMatchObject({ due: 1, heldBack: 0 })
    const requests = messagesOf(dog).flatMap(({ agents }) => agents)
    expect(requests.map(({ agentId }) => agentId)).toContain(owed.id)
  })
})
