import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Fallbacks, Transition, WatchdogEvent } from '#shared/agents/watchdog/event.ts'
import {
  type Fallback,
  newWatchdog,
  type State,
  type Watchdog,
} from '#shared/agents/watchdog/schema.ts'
import { transition } from '#shared/agents/watchdog/transition.ts'
import { settings } from '#tests/support/agents/watchdog.ts'

const started = Date.UTC(2026, 0, 1)

/** All possible moves: contract.md 8 and spec.md. */
const moves: Record<State, readonly State[]> = {
  stopped: ['starting'],
  starting: ['running', 'degraded', 'repairing', 'crash_loop', 'stopped'],
  running: ['starting', 'degraded', 'repairing', 'crash_loop', 'stopped'],
  degraded: ['starting', 'running', 'repairing', 'crash_loop', 'stopped'],
  repairing: ['starting', 'running', 'crash_loop', 'stopped'],
  crash_loop: ['starting', 'stopped'],
}

const cause = fc.constantFrom('exit code 1', 'no answer')
const mayBeLost = fc.boolean()

const anyEvent: fc.Arbitrary<WatchdogEvent> = fc.oneof(
  fc.constantFrom<WatchdogEvent>(
    { type: 'task-started', generation: 1 },
    { type: 'check-passed' },
    { type: 'host-lost' },
    { type: 'start-refused', cause: 'no such image' },
    { type: 'fell-asleep' },
    { type: 'stopped-by-person' },
    { type: 'started-by-person' },
    { type: 'repair-stop-waited' },
  ),
  fc.record({ type: fc.constant('crashed' as const), cause }),
  fc.record({ type: fc.constant('check-failed' as const), cause, mayBeLost }),
  fc.record({
    type: fc.constant('repair-start-waited' as const),
    healthy: fc.boolean(),
    cause,
    mayBeLost,
  }),
  fc.record({
    type: fc.constant('repair-start-pending' as const),
    forCapacity: fc.boolean(),
    cause,
    mayBeLost,
  }),
)

const anySettings = fc.record({
  WATCHDOG_AUTO_REPAIR: fc.constantFrom(true, true, true, false),
  WATCHDOG_MAX_REPAIR_ATTEMPTS: fc.constantFrom(1, 2, 4),
  WATCHDOG_CRASH_LOOP_THRESHOLD: fc.constantFrom(2, 3, 5),
})

const anyFallbacks: fc.Arbitrary<Fallbacks> = fc.record({
  steps: fc.subarray<Fallback>(['healthy_config', 'healthy_image']),
  isImmediate: fc.boolean(),
})

interface Moment extends Transition {
  before: Watchdog
  event: WatchdogEvent
  /** The fallbacks that remain at that time. */
  left: readonly Fallback[]
  now: number
}

/** A sequence of events of a watchdog. Each fallback can be used once. */
const anyHistory = fc
  .tuple(fc.array(fc.tuple(fc.nat(200), anyEvent), { maxLength: 60 }), anySettings, anyFallbacks)
  .map(([events, own, { steps, isImmediate }]) => {
    const remaining = [...steps]
    const all = { ...settings, ...own }
    let now = started
    let before = newWatchdog(now)
    const moments = events.map(([seconds, event]): Moment => {
      now += seconds * 1000
      const fallbacks = { steps: [...remaining], isImmediate }
      const next = transition(before, event, all, now, fallbacks)
      for (const effect of next.effects)
        if (effect.type === 'start-task' && effect.fallback === remaining[0]) remaining.shift()
      const moment = { ...next, before, event, left: fallbacks.steps, now }
      before = next.watchdog
      return moment
    })
    const most = Math.max(all.WATCHDOG_MAX_REPAIR_ATTEMPTS, 1 + steps.length)
    return { moments, settings: all, most, isImmediate }
  })

function expectAlways(holds: (moment: Moment, history: { most: number }) => void): void {
  fc.assert(
    fc.property(anyHistory, ({ moments, most }) => {
      for (const moment of moments) holds(moment, { most })
    }),
    { numRuns: 1000 },
  )
}

describe('through any events in any order, a watchdog', () => {
  it('makes no transition outside of the table', () => {
    expectAlways(({ before, watchdog }) => {
      if (watchdog.state !== before.state) expect(moves[before.state]).toContain(watchdog.state)
    })
  })

  it('leaves crash_loop and stopped only by a person', () => {
    expectAlways(({ before, watchdog, event }) => {
      const resting = before.state === 'crash_loop' || before.state === 'stopped'
      if (!resting || watchdog.state === before.state) return
      expect(['started-by-person', 'stopped-by-person', 'fell-asleep']).toContain(event.type)
      if (before.state === 'stopped') expect(event.type).toBe('started-by-person')
    })
  })

  it('rests, or has a check scheduled, or waits for its task to start', () => {
    expectAlways(({ watchdog, effects, event }) => {
      if (watchdog.state === 'stopped' || watchdog.state === 'crash_loop') {
        expect(watchdog.dueAt).toBeNull()
      } else if (watchdog.state === 'repairing' || watchdog.state === 'running') {
        expect(watchdog.dueAt).not.toBeNull()
      } else if (watchdog.state === 'degraded' && watchdog.dueAt === null) {
        // Auto-repair is off: the agent is marked as failed, and a person is notified.
        expect(watchdog.incidents.at(-1)?.resolvedAt).toBeNull()
      }
      if (effects.some(({ type }) => type === 'start-task'))
        expect(['host-lost', 'repair-stop-waited']).toContain(event.type)
    })
  })

  it('starts and gives up at most once an event', () => {
    expectAlways(({ effects }) => {
      for (const type of ['start-task', 'give-up'])
        expect(effects.filter((effect) => effect.type === type).length).toBeLessThanOrEqual(1)
    })
  })

  it('limits its attempts and its stored history', () => {
    expectAlways(({ watchdog }, { most }) => {
      expect(watchdog.attempts).toBeLessThanOrEqual(most)
      expect(watchdog.incidents.length).toBeLessThanOrEqual(20)
      expect(
        watchdog.incidents.filter(({ resolvedAt }) => resolvedAt === null).length,
      ).toBeLessThan(2)
      if (watchdog.state === 'repairing') expect(watchdog.attempts).toBeGreaterThan(0)
      if (watchdog.state === 'running')
        expect(watchdog.incidents.every(({ resolvedAt }) => resolvedAt !== null)).toBe(true)
    })
  })

  it('reports each kind of notice once an incident', () => {
    expectAlways(({ watchdog }) => {
      const reports = watchdog.unsent.map(({ incidentAt, kind }) => `${incidentAt} ${kind}`)
      expect(new Set(reports).size).toBe(reports.length)
    })
  })

  it('rolls back only to a remaining version before it gives up', () => {
    expectAlways(({ before, watchdog, event, left, effects }) => {
      for (const effect of effects)
        if (effect.type === 'start-task' && effect.fallback !== undefined)
          expect(left).toContain(effect.fallback)
      const failed = event.type === 'repair-start-waited' && !event.healthy
      if (before.state === 'repairing' && before.repair === 'starting' && failed && left.length > 0)
        expect(watchdog.state).toBe('repairing')
    })
  })

  it('counts no attempt as failed while its task may be lost', () => {
    expectAlways(({ before, watchdog, event }) => {
      if (!('mayBeLost' in event && event.mayBeLost)) return
      if ('healthy' in event && event.healthy) return
      expect(watchdog.attempts).toBe(before.attempts)
      expect(watchdog.state === 'crash_loop').toBe(before.state === 'crash_loop')
    })
  })

  it('ignores repeated events', () => {
    const steps = new Set(['repair-stop-waited', 'repair-start-waited', 'repair-start-pending'])
    fc.assert(
      fc.property(anyHistory, ({ moments, settings: own }) => {
        for (const { watchdog, event, now, left } of moments) {
          const again = transition(watchdog, event, own, now, { steps: left, isImmediate: false })
          if (event.type === 'repair-stop-waited') expect(again.watchdog).toEqual(watchdog)
          // A look is ignored if the agent has left the state that required it.
          if (steps.has(event.type) && watchdog.state !== 'repairing')
            expect(again).toEqual({ watchdog, effects: [] })
        }
      }),
      { numRuns: 300 },
    )
  })
})
