import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newWatchdog, type State, type Watchdog } from './schema.ts'
import { type Effect, transition, type WatchdogEvent, type WatchdogSettings } from './transition.ts'

const settings: WatchdogSettings = {
  WATCHDOG_AUTO_REPAIR: true,
  WATCHDOG_CHECK_INTERVAL: 120,
  WATCHDOG_DEGRADED_CHECK_INTERVAL: 5,
  WATCHDOG_STARTUP_FAILURE_THRESHOLD: 3,
  WATCHDOG_MAX_REPAIR_ATTEMPTS: 2,
  WATCHDOG_CRASH_LOOP_WINDOW: 300,
  WATCHDOG_CRASH_LOOP_THRESHOLD: 3,
  WATCHDOG_REPAIR_STOP_WAIT: 5,
  WATCHDOG_REPAIR_START_WAIT: 30,
}

const started = Date.UTC(2026, 0, 1)

/** Plays events a given number of seconds apart and keeps all that happened. */
function play(
  events: readonly (readonly [seconds: number, event: WatchdogEvent])[],
  own: Partial<WatchdogSettings> = {},
) {
  let watchdog: Watchdog = newWatchdog(started)
  let now = started
  const states: State[] = []
  const effects: Effect[] = []
  for (const [seconds, event] of events) {
    now += seconds * 1000
    const next = transition(watchdog, event, { ...settings, ...own }, now)
    watchdog = next.watchdog
    states.push(watchdog.state)
    effects.push(...next.effects)
  }
  const notices = watchdog.unsent.map((notice) => notice.kind)
  return { watchdog, states, effects, notices }
}

const up = [
  [0, { type: 'started-by-person' }],
  [1, { type: 'task-started', generation: 1 }],
  [1, { type: 'check-passed' }],
] as const
const failed = { type: 'check-failed', cause: 'no answer' } as const
const crashed = { type: 'crashed', cause: 'exit code 1' } as const

describe('the watchdog', () => {
  it('sees a start through to running', () => {
    const { states, effects } = play(up)
    expect(states).toEqual(['starting', 'starting', 'running'])
    expect(effects).toEqual([{ type: 'wake', after: 0 }])
  })

  it('gives a start a minute before silence counts, then repairs at the threshold', () => {
    const early = play([...up.slice(0, 2), [59, failed]])
    expect(early.watchdog).toMatchObject({ state: 'starting', failures: 0 })
    expect(early.effects.at(-1)).toEqual({ type: 'wake', after: 2 })
    const late = play([...up.slice(0, 2), [60, failed], [5, failed], [5, failed]])
    expect(late.states.slice(2)).toEqual(['starting', 'starting', 'repairing'])
  })

  it('degrades at the first failed check and recovers at the first good one', () => {
    const { states, watchdog, notices } = play([
      ...up,
      [120, failed],
      [5, failed],
      [5, { type: 'check-passed' }],
    ])
    expect(states.slice(3)).toEqual(['degraded', 'degraded', 'running'])
    expect(notices).toEqual(['degraded'])
    expect(watchdog.incidents).toEqual([
      expect.objectContaining({ cause: 'no answer', resolvedAt: expect.any(String) }),
    ])
  })

  it('repairs after three failed checks: stop, wait 5 s, start, wait 30 s, verify', () => {
    const { states, effects, watchdog, notices } = play([
      ...up,
      [120, failed],
      [5, failed],
      [5, failed],
      [5, { type: 'repair-stop-waited' }],
      [2, { type: 'task-started', generation: 1 }],
      [28, { type: 'repair-start-waited', healthy: true, cause: '' }],
    ])
    expect(states.slice(5)).toEqual(['repairing', 'repairing', 'repairing', 'running'])
    expect(effects.slice(3)).toEqual([
      { type: 'stop-task' },
      { type: 'wake', after: 5 },
      { type: 'start-task' },
      { type: 'wake', after: 30 },
    ])
    expect(notices).toEqual(['degraded', 'repair_started', 'repaired'])
    expect(watchdog).toMatchObject({ attempts: 0, incidents: [{ step: 'restart', attempt: 1 }] })
  })

  it('gives up after its attempts, and only a person gets it out again', () => {
    const bad = { type: 'repair-start-waited', healthy: false, cause: 'silent' } as const
    const lost = [
      ...up,
      [9, crashed],
      [5, { type: 'repair-stop-waited' }],
      [30, bad],
      [5, { type: 'repair-stop-waited' }],
      [30, bad],
    ] as const
    const { watchdog, notices, effects } = play(lost)
    expect(watchdog).toMatchObject({ state: 'crash_loop', incidents: [{ step: 'crash_loop' }] })
    expect(notices).toEqual(['repair_started', 'repair_failed', 'repair_failed', 'crash_loop'])
    expect(effects.at(-1)).toEqual({ type: 'give-up', cause: 'silent' })
    const after = play([
      ...lost,
      [1, { type: 'task-started', generation: 1 }],
      [1, { type: 'check-passed' }],
    ])
    expect(after.watchdog.state).toBe('crash_loop')
    expect(play([...lost, [1, { type: 'started-by-person' }]]).watchdog.state).toBe('starting')
  })

  it('calls three crashes within the window a loop, and crashes further apart not', () => {
    const healed = (wait: number) =>
      [
        [wait, crashed],
        [5, { type: 'repair-stop-waited' }],
        [30, { type: 'repair-start-waited', healthy: true, cause: '' }],
      ] as const
    expect(play([...up, ...healed(10), ...healed(10), [10, crashed]]).watchdog.state).toBe(
      'crash_loop',
    )
    expect(play([...up, ...healed(10), ...healed(200), [200, crashed]]).watchdog.state).toBe(
      'repairing',
    )
  })

  it('repairs nothing where auto-repair is off', () => {
    const { states, effects } = play([...up, [9, crashed]], { WATCHDOG_AUTO_REPAIR: false })
    expect(states.at(-1)).toBe('degraded')
    expect(effects.map((e) => e.type)).not.toContain('start-task')
  })

  it('starts again at once where the machine went away, without calling it a crash', () => {
    const { watchdog, effects } = play([...up, [60, { type: 'ground-lost' }]])
    expect(watchdog).toMatchObject({ state: 'starting', crashes: [], incidents: [] })
    expect(effects.at(-1)).toEqual({ type: 'start-task' })
  })

  it('is not moved by a repeated step of a repair', () => {
    const step = { type: 'repair-stop-waited' } as const
    const once = play([...up, [9, crashed], [5, step]])
    const twice = play([...up, [9, crashed], [5, step], [0, step]])
    expect(twice.watchdog).toEqual(once.watchdog)
    expect(twice.effects).toEqual(once.effects)
  })
})

const anyEvent: fc.Arbitrary<WatchdogEvent> = fc.oneof(
  fc.constantFrom<WatchdogEvent>(
    { type: 'task-started', generation: 1 },
    { type: 'check-passed' },
    failed,
    crashed,
    { type: 'ground-lost' },
    { type: 'stopped-by-person' },
    { type: 'started-by-person' },
  ),
  fc.constant({ type: 'repair-stop-waited' as const }),
  fc.record({
    type: fc.constant('repair-start-waited' as const),
    healthy: fc.boolean(),
    cause: fc.constant('silent'),
  }),
)

describe('whatever happens in whatever order', () => {
  const history = fc.array(fc.tuple(fc.nat(200), anyEvent), { maxLength: 60 })

  it('keeps its promises', () => {
    fc.assert(
      fc.property(history, (events) => {
        let watchdog = newWatchdog(started)
        let now = started
        for (const [seconds, event] of events) {
          now += seconds * 1000
          const { watchdog: next, effects } = transition(watchdog, event, settings, now)
          const person = event.type.endsWith('by-person')
          if (watchdog.state === 'crash_loop' && !person) expect(next).toEqual(watchdog)
          if (watchdog.state === 'stopped' && next.state !== 'stopped')
            expect(event.type).toBe('started-by-person')
          if (next.state === 'repairing') {
            expect(next.dueAt).not.toBeNull()
            expect(next.attempts).toBeGreaterThan(0)
          }
          if (next.state === 'running') expect(next.incidents.every((i) => i.resolvedAt)).toBe(true)
          expect(next.attempts).toBeLessThanOrEqual(settings.WATCHDOG_MAX_REPAIR_ATTEMPTS)
          expect(next.incidents.filter((i) => i.resolvedAt === null).length).toBeLessThanOrEqual(1)
          expect(next.incidents.length).toBeLessThanOrEqual(20)
          // Two starts of one event would be two agents.
          expect(effects.filter((e) => e.type === 'start-task').length).toBeLessThanOrEqual(1)
          watchdog = next
        }
      }),
      { numRuns: 500 },
    )
  })
})
