import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { State } from '#shared/agents/watchdog/schema.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import { stopAgent } from '../lifecycle/stop.ts'
import { awaitRunning } from './await-running.ts'
import { beginActivity } from './begin.ts'
import { holdLease } from './lease.ts'
import { fallAsleep, isIdle } from './sleep.ts'
import { wakeAgent } from './wake.ts'

const minute = 60_000
let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

/** Creates an agent that is asleep and whose task has ended. */
async function sleepingAgent(): Promise<Agent> {
  const running = await fleet.untilRunning(await fleet.started({ sleepAfterMinutes: 5 }))
  await changeAgent(fleet, {
    agent: running,
    decide: (current) => fallAsleep(current, Date.now()),
  })
  for (const arn of await fleet.wantedTasks(running)) await fleet.containers.stop(arn, 'asleep')
  return fleet.until(running, ({ taskStatus }) => taskStatus === 'STOPPED')
}

/** Delivers messages until the work is done. */
async function delivering<T>(agent: Agent, work: Promise<T>): Promise<T> {
  let over = false
  const done = work.finally(() => (over = true))
  await fleet.until(agent, () => over)
  return done
}

describe('an agent that sleeps', () => {
  it('costs nothing and its key is invalid', async () => {
    const agent = await sleepingAgent()
    expect(agent).toMatchObject({ status: 'stopped', desired: 'stopped', asleep: true })
    expect(agent).toMatchObject({ watchdog: { state: 'stopped' } })
    expect(agent.aiKeyHash).toBeUndefined()
    expect(await fleet.wantedTasks(agent)).toEqual([])
  })

  it('is woken by work, which waits for it', async () => {
    const agent = await sleepingAgent()
    using activity = await delivering(
      agent,
      beginActivity(fleet.services, { agent, timeoutMs: minute }),
    )
    expect(activity.agent).toMatchObject({ status: 'running', generation: agent.generation + 1 })
    const row = await fleet.row(agent)
    expect([row.asleep, row.waking]).toEqual([undefined, undefined])
    expect(row.busyUntil).toBeGreaterThan(Date.now())
  })

  it('starts once, under concurrent requests', async () => {
    const agent = await sleepingAgent()
    const woken = await Promise.all(
      Array.from({ length: 8 }, () => wakeAgent(fleet.services, { agent })),
    )
    expect(new Set(woken.map(({ generation }) => generation))).toEqual(
      new Set([agent.generation + 1]),
    )
    await fleet.untilRunning(agent)
    expect(await fleet.wantedTasks(agent)).toHaveLength(1)
  })

  it('is not woken while its owner’s plan has ended', async () => {
    const agent = await sleepingAgent()
    const work = () => beginActivity(fleet.services, { agent, timeoutMs: minute })
    await fleet.pays(String(agent.userId), 'past_due')
    await expect(work()).rejects.toMatchObject({ code: 'SUBSCRIPTION_REQUIRED' })
    expect(await fleet.row(agent)).toEqual(agent)
    await fleet.pays(String(agent.userId))
    const table = before(fleet.table, async (name) => {
      if (name === 'transact') await fleet.pays(String(agent.userId), 'canceled')
    })
    const late = wakeAgent({ ...fleet.services, table }, { agent })
    await expect(late).rejects.toMatchObject({ code: 'SUBSCRIPTION_REQUIRED' })
    expect(await fleet.row(agent)).toEqual(agent)
  })

  it('is not woken after an operator stopped it, and the error has the reason', async () => {
    const agent = await sleepingAgent()
    await stopAgent(fleet.services, { agent, by: 'operator' })
    const work = beginActivity(fleet.services, { agent, timeoutMs: minute })
    await expect(work).rejects.toMatchObject({ code: 'STOPPED_BY_OPERATOR', kind: 'conflict' })
    expect(await fleet.row(agent)).toMatchObject({ desired: 'stopped' })
  })

  it('is not woken after a person stopped it', async () => {
    const agent = await sleepingAgent()
    await stopAgent(fleet.services, { agent })
    expect(await wakeAgent(fleet.services, { agent })).toMatchObject({ status: 'stopped' })
    const work = beginActivity(fleet.services, { agent, timeoutMs: minute })
    await expect(work).rejects.toMatchObject({ code: 'AGENT_NOT_RUNNING', kind: 'conflict' })
    expect(await fleet.wantedTasks(agent)).toEqual([])
  })

  it('stays asleep while provisioning is switched off', async () => {
    const agent = await sleepingAgent()
    const off = { ...fleet.services, config: { ...fleet.services.config, KILL_SWITCH: true } }
    await expect(wakeAgent(off, { agent })).rejects.toMatchObject({ code: 'PROVISIONING_DISABLED' })
    expect(await fleet.row(agent)).toEqual(agent)
  })

  it('an agent that sleeps that does not start in time returns 504, and waiting ends if the caller disconnects', async () => {
    const agent = await wakeAgent(fleet.services, { agent: await sleepingAgent() })
    const late = awaitRunning(fleet.services, { agent, timeoutMs: 50 })
    await expect(late).rejects.toMatchObject({ code: 'AGENT_TIMEOUT', kind: 'timeout' })
    const caller = new AbortController()
    const waiting = awaitRunning(fleet.services, {
      agent,
      timeoutMs: minute,
      signal: caller.signal,
    })
    caller.abort()
    await expect(waiting).rejects.toThrow('The caller disconnected')
  })
})

describe('work in progress', () => {
  it('updates the row once a minute at most', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    const now = Date.now()
    const reservation = await holdLease(fleet, { agent: agent }, now)
    expect(reservation.revision).toBe(agent.revision + 1)
    expect(reservation.updatedAt).toBe(agent.updatedAt)
    expect(await holdLease(fleet, { agent: reservation }, now + 59_000)).toBe(reservation)
    const renewed = await holdLease(fleet, { agent: reservation }, now + minute)
    expect(renewed).toMatchObject({
      revision: reservation.revision + 1,
      lastActiveAt: new Date(now + minute).toISOString(),
    })
  })

  it('prevents sleep, even if it begins in the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const agent = await fleet.untilRunning(await fleet.started({ sleepAfterMinutes: 1 }))
      const later = Date.parse(agent.startedAt ?? '') + 2 * minute
      const sleep = changeAgent(fleet, {
        agent,
        decide: (current) => (isIdle(current, later) ? fallAsleep(current, later) : current),
        now: later,
      })
      const work = holdLease(fleet, { agent: agent }, later)
      await Promise.all([sleep, work])
      const row = await fleet.row(agent)
      // Either of the two can be first, but the second must see the first.
      expect([row.asleep, row.busyUntil === undefined]).toEqual(
        row.status === 'stopped' ? [true, true] : [undefined, false],
      )
    }
  })

  it('work in progress for an agent that has just fallen asleep wakes it', async () => {
    const agent = await fleet.untilRunning(await fleet.started({ sleepAfterMinutes: 1 }))
    await changeAgent(fleet, {
      agent,
      decide: (current) => fallAsleep(current, Date.now()),
    })
    const begun = beginActivity(fleet.services, { agent, timeoutMs: minute })
    using activity = await delivering(agent, begun)
    expect(activity.agent.generation).toBe(agent.generation + 1)
  })
})

describe('an agent falls asleep', () => {
  const now = Date.UTC(2026, 0, 1)
  const ago = (minutes: number) => new Date(now - minutes * minute).toISOString()

  it.each<[string, Partial<Agent> & { state?: State }, boolean]>([
    ['after its idle time', { startedAt: ago(60), lastActiveAt: ago(5) }, true],
    ['not before its idle time', { startedAt: ago(60), lastActiveAt: ago(4.9) }, false],
    ['not right after its start', { startedAt: ago(4), lastActiveAt: ago(60) }, false],
    ['not during a request', { startedAt: ago(60), busyUntil: now + 1 }, false],
    ['not soon after work', { startedAt: ago(60), busyUntil: now - 4 * minute }, false],
    ['not without a sleep setting', { config: {}, startedAt: ago(60) }, false],
    [
      'not with the setting null',
      { config: { sleepAfterMinutes: null }, startedAt: ago(60) },
      false,
    ],
    ['not while it is unhealthy', { startedAt: ago(60), state: 'degraded' }, false],
  ])('%s', async (_, { state = 'running', ...fields }, asleep) => {
    const agent = await fleet.started({ sleepAfterMinutes: 5 })
    const watchdog = { ...agent.watchdog, state }
    expect(isIdle({ ...agent, status: 'running', ...fields, watchdog }, now)).toBe(asleep)
  })
})
