import { describe, expect, it } from 'vitest'
import type { Effect, WatchdogEvent } from './event.ts'
import { type Fallback, newWatchdog, type State, type Watchdog } from './schema.ts'
import type { WatchdogSettings } from './settings.ts'
import { transition } from './transition.ts'

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

type Moment = readonly [seconds: number, event: WatchdogEvent]

/** Plays events, a given number of seconds apart, and records the results. */
function play(
  events: readonly Moment[],
  own: Partial<WatchdogSettings> = {},
  steps: Fallback[] = [],
  isImmediate = false,
) {
  const remaining = [...steps]
  let watchdog: Watchdog = newWatchdog(started)
  let now = started
  const states: State[] = []
  const effects: Effect[] = []
  for (const [seconds, event] of events) {
    now += seconds * 1000
    const fallbacks = { steps: remaining, isImmediate }
    const next = transition(watchdog, event, { ...settings, ...own }, now, fallbacks)
    watchdog = next.watchdog
    states.push(watchdog.state)
    for (const effect of next.effects)
      if (effect.type === 'start-task' && effect.fallback === remaining[0]) remaining.shift()
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
  it('follows a start to running', () => {
    const { states, effects } = play(up)
    expect(states).toEqual(['starting', 'starting', 'running'])
    expect(effects).toEqual([{ type: 'check', after: 0 }])
  })

  it('checks again one interval after the start, even if one check reports the start twice', () => {
    const { watchdog } = play([...up, [0, { type: 'check-passed' }]])
    expect(watchdog).toMatchObject({ state: 'running', dueAt: started + 122_000 })
    const onTime = play([...up, [121, { type: 'check-passed' }]])
    expect(onTime.watchdog.dueAt).toBe(started + 242_000)
  })

  it('waits a minute after a start before silence counts, then repairs at the threshold', () => {
    const early = play([...up.slice(0, 2), [59, failed]])
    expect(early.watchdog).toMatchObject({ state: 'starting', failures: 0 })
    expect(early.effects.at(-1)).toEqual({ type: 'check', after: 2 })
    const late = play([...up.slice(0, 2), [60, failed], [5, failed], [5, failed]])
    expect(late.states.slice(2)).toEqual(['starting', 'starting', 'repairing'])
  })

  it('degrades at the first failed check and recovers at the first passed one', () => {
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
    expect(effects.slice(2)).toEqual([
      // The state of its task is requested one check before the failure counts.
      { type: 'observe' },
      { type: 'check', after: 5 },
      { type: 'stop-task' },
      { type: 'check', after: 5 },
      { type: 'start-task' },
      { type: 'check', after: 30 },
    ])
    expect(notices).toEqual(['degraded', 'repair_started', 'repaired'])
    expect(watchdog).toMatchObject({ attempts: 0, incidents: [{ step: 'restart', attempt: 1 }] })
  })

  it('checks less and less often for a silent task before an attempt counts as failed', () => {
    const bad = { type: 'repair-start-waited', healthy: false, cause: 'silent' } as const
    const unsure = { ...bad, mayBeLost: true }
    const repair = [...up, [9, crashed], [5, { type: 'repair-stop-waited' }]] as const
    const asking = play([
      ...repair,
      [30, unsure],
      [5, unsure],
      [5, unsure],
      [20, unsure],
      [90, unsure],
    ])
    expect(asking.watchdog).toMatchObject({ state: 'repairing', repair: 'starting', attempts: 1 })
    expect(asking.effects.slice(5)).toEqual(
      [5, 5, 10, 30, 60].flatMap((after) => [{ type: 'observe' }, { type: 'check', after }]),
    )
    const lost = play([...repair, [30, unsure], [5, { type: 'host-lost' }]])
    expect(lost.watchdog).toMatchObject({ state: 'starting', failures: 0 })
    expect(play([...repair, [30, unsure], [5, bad]]).watchdog).toMatchObject({
      state: 'repairing',
      repair: 'stopping',
      attempts: 2,
    })
  })

  it('gives up after its attempts, until a person starts the agent', () => {
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
    expect(notices).toEqual(['repair_started', 'repair_failed', 'crash_loop'])
    expect(effects.at(-1)).toEqual({ type: 'give-up', cause: 'silent' })
    const after = play([
      ...lost,
      [1, { type: 'task-started', generation: 1 }],
      [1, { type: 'check-passed' }],
    ])
    expect(after.watchdog.state).toBe('crash_loop')
    expect(play([...lost, [1, { type: 'started-by-person' }]]).watchdog.state).toBe('starting')
  })

  it('treats three crashes within the window as a loop, but not crashes further apart', () => {
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

  it('repairs nothing if auto-repair is disabled', () => {
    const { states, effects } = play([...up, [9, crashed]], { WATCHDOG_AUTO_REPAIR: false })
    expect(states.at(-1)).toBe('degraded')
    expect(effects.map((e) => e.type)).not.toContain('start-task')
  })

  it('restarts at once if the machine was lost, without counting a crash', () => {
    const { watchdog, effects } = play([...up, [60, { type: 'host-lost' }]])
    expect(watchdog).toMatchObject({ state: 'starting', crashes: [], incidents: [] })
    expect(effects.at(-1)).toEqual({ type: 'start-task' })
  })

  it('waits for a starting container, and for room without a limit', () => {
    const repairing = [...up, [9, crashed], [5, { type: 'repair-stop-waited' }]] as const
    const pending = {
      type: 'repair-start-pending',
      cause: 'no address',
      forCapacity: false,
    } as const
    const full = { ...pending, forCapacity: true }
    const placed = play([...repairing, [30, pending], [60, pending]])
    expect(placed.watchdog).toMatchObject({ state: 'repairing', repair: 'starting', attempts: 1 })
    expect(placed.effects.at(-1)).toEqual({ type: 'check', after: 5 })
    expect(play([...repairing, [295, pending]]).watchdog).toMatchObject({ attempts: 2 })
    expect(play([...repairing, [3600, full]]).watchdog).toMatchObject({ attempts: 1 })
  })

  it('ignores a repeated step of a repair', () => {
    const step = { type: 'repair-stop-waited' } as const
    const once = play([...up, [9, crashed], [5, step]])
    const twice = play([...up, [9, crashed], [5, step], [0, step]])
    expect(twice.watchdog).toEqual(once.watchdog)
    expect(twice.effects).toEqual(once.effects)
  })
})

describe('the repair ladder', () => {
  const stopWaited = { type: 'repair-stop-waited' } as const
  const silent = { type: 'repair-start-waited', healthy: false, cause: 'silent' } as const
  const attempt = (event: WatchdogEvent) =>
    [
      [5, stopWaited],
      [30, event],
    ] as const
  const steps = (effects: Effect[]) =>
    effects
      .filter((effect) => effect.type === 'start-task')
      .map(({ fallback = 'restart' }) => fallback)

  it('goes from a restart to the last healthy config and image, then gives up', () => {
    const events: Moment[] = [
      ...up,
      [9, crashed],
      ...attempt(silent),
      ...attempt(silent),
      ...attempt(silent),
    ]
    const { watchdog, effects, notices } = play(events, {}, ['healthy_config', 'healthy_image'])
    expect(steps(effects)).toEqual(['restart', 'healthy_config', 'healthy_image'])
    expect(watchdog).toMatchObject({
      state: 'crash_loop',
      incidents: [{ cause: 'exit code 1', step: 'crash_loop', attempt: 3 }],
    })
    expect(notices).toEqual(['repair_started', 'repair_failed', 'crash_loop'])
  })

  it('has two attempts if only one of them has changed', () => {
    const events: Moment[] = [...up, [9, crashed], ...attempt(silent), ...attempt(silent)]
    const { watchdog, effects } = play(events, {}, ['healthy_image'])
    expect(steps(effects)).toEqual(['restart', 'healthy_image'])
    expect(watchdog).toMatchObject({ state: 'crash_loop', attempts: 2 })
  })

  it('ends at the successful step, and names it', () => {
    const well = { type: 'repair-start-waited', healthy: true, cause: '' } as const
    const events: Moment[] = [...up, [9, crashed], [5, stopWaited], [1, crashed], ...attempt(well)]
    const { watchdog } = play(events, {}, ['healthy_config'])
    expect(watchdog).toMatchObject({
      state: 'running',
      attempts: 0,
      incidents: [{ step: 'healthy_config', attempt: 2, resolvedAt: expect.any(String) }],
    })
    expect(watchdog.unsent.at(-1)).toMatchObject({ kind: 'repaired', step: 'healthy_config' })
  })

  it('counts no crash against the version that was healthy before', () => {
    const crashes = [
      [5, stopWaited],
      [1, crashed],
    ] as const
    const events: Moment[] = [...up, [9, crashed], ...crashes, ...crashes]
    expect(play(events, {}, ['healthy_config', 'healthy_image']).watchdog).toMatchObject({
      state: 'repairing',
      attempts: 3,
    })
    expect(play(events).watchdog.state).toBe('crash_loop')
  })

  it('rolls back at once a version that was on trial', () => {
    const events: Moment[] = [...up, [9, crashed], [5, stopWaited]]
    const { effects, watchdog } = play(events, {}, ['healthy_image'], true)
    expect(steps(effects)).toEqual(['healthy_image'])
    expect(watchdog.attempts).toBe(1)
  })
})
