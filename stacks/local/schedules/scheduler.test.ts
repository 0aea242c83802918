import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startHarness, until } from '../testing/harness.ts'
import { fixture } from '../testing/manifest.ts'
import { type ScheduledEvent, startScheduler } from './scheduler.ts'

const functions = [fixture('ticker', 'schedule', { kind: 'schedule', everyMinutes: 1 })]

describe('the scheduler', () => {
  test('runs a schedule right after the start, with a scheduler’s event', async () => {
    await using harness = await startHarness(functions)
    const scheduler = startScheduler({
      functions,
      // A minute half an hour away, so that the schedule cannot come due during the test.
      patternOf: () => `${(new Date().getMinutes() + 30) % 60} * * * *`,
      host: harness.host,
      onFailure() {},
    })
    const began = () => harness.lines.values<ScheduledEvent>('began')
    await until('the first run', () => began().length > 0)
    expect(began()).toEqual([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        schedule: 'ticker',
      },
    ])
    const closing = Date.now()
    await scheduler.close()
    expect(harness.lines.values('ended')).toHaveLength(1)
    expect(Date.now() - closing).toBeLessThan(5000)
  })
})

describe('a schedule that becomes due while it runs', () => {
  // Fake timers: each minute comes when the test advances the clock.
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A function whose runs fail when the test says so. */
  function startTicker() {
    const failures: string[] = []
    const ends: (() => void)[] = []
    let [running, most] = [0, 0]
    const scheduler = startScheduler({
      functions,
      host: {
        async invoke() {
          most = Math.max(most, ++running)
          await new Promise<void>((resolve) => ends.push(resolve))
          running--
          throw new Error('it failed')
        },
        async close() {},
      },
      onFailure: (name) => failures.push(name),
    })
    return { scheduler, ends, failures, counts: () => ({ runs: ends.length, running, most }) }
  }

  const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * 60_000)

  test('runs again after that run, once, and never concurrently', async () => {
    const { scheduler, ends, failures, counts } = startTicker()
    await minutes(3)
    expect(counts()).toEqual({ runs: 1, running: 1, most: 1 })
    ends[0]?.()
    await minutes(0)
    expect(counts()).toEqual({ runs: 2, running: 1, most: 1 })
    ends[1]?.()
    await minutes(0)
    expect(counts()).toEqual({ runs: 2, running: 0, most: 1 })
    expect(failures).toEqual(['ticker', 'ticker'])
    await scheduler.close()
  })

  test('continues at its minute after a failure', async () => {
    const { scheduler, ends, counts } = startTicker()
    await minutes(0)
    ends[0]?.()
    await minutes(1)
    expect(counts()).toEqual({ runs: 2, running: 1, most: 1 })
    ends[1]?.()
    await scheduler.close()
  })

  test('stops after closing, which waits for the current run', async () => {
    const { scheduler, ends, failures, counts } = startTicker()
    await minutes(2)
    let closed = false
    const closing = scheduler.close().then(() => (closed = true))
    await minutes(1)
    expect(closed).toBe(false)
    ends[0]?.()
    await closing
    await minutes(3)
    expect(counts()).toEqual({ runs: 1, running: 0, most: 1 })
    expect(failures).toEqual(['ticker'])
  })
})

describe('schedules of the same minute', () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-01-01T00:00:30Z') }))
  afterEach(() => void vi.useRealTimers())

  const minutely = ['first', 'second', 'third'].map((name) =>
    fixture(name, 'schedule', { kind: 'schedule', everyMinutes: 1 }),
  )

  /** Functions whose runs end when the test says so. */
  function startThree() {
    const began: string[] = []
    const ends: (() => void)[] = []
    const held = Promise.withResolvers<void>()
    const scheduler = startScheduler({
      functions: minutely,
      after: held.promise,
      host: {
        async invoke(name) {
          began.push(name)
          await new Promise<void>((resolve) => ends.push(resolve))
          return { streamed: true }
        },
        async close() {},
      },
      onFailure() {},
    })
    return { scheduler, began, ends, release: held.resolve }
  }

  const milliseconds = (count: number) => vi.advanceTimersByTimeAsync(count)

  test('start one after another, and wait a second for a long run', async () => {
    const { scheduler, began, ends, release } = startThree()
    release()
    await milliseconds(0)
    expect(began).toEqual(['first'])
    ends[0]?.()
    await milliseconds(0)
    expect(began).toEqual(['first', 'second'])
    await milliseconds(999)
    expect(began).toEqual(['first', 'second'])
    await milliseconds(1)
    expect(began).toEqual(['first', 'second', 'third'])
    ends[2]?.()

    await milliseconds(29_500)
    expect(began.slice(3)).toEqual(['first'])
    ends[3]?.()
    await milliseconds(0)
    expect(began.slice(3)).toEqual(['first', 'third'])
    for (const end of ends) end()
    // The second function was due during its own run.
    await milliseconds(0)
    expect(began.slice(3)).toEqual(['first', 'third', 'second'])
    ends[5]?.()
    await scheduler.close()
  })

  test('start once, although several minutes pass before they may', async () => {
    const { scheduler, began, ends, release } = startThree()
    await milliseconds(180_000)
    expect(began).toEqual([])
    release()
    for (let i = 0; i < minutely.length; i++) {
      await milliseconds(0)
      ends[i]?.()
    }
    await milliseconds(0)
    expect(began).toEqual(['first', 'second', 'third'])
    await scheduler.close()
  })

  test('do not start after closing', async () => {
    const { scheduler, began, ends, release } = startThree()
    release()
    await milliseconds(0)
    const closing = scheduler.close()
    ends[0]?.()
    await closing
    await milliseconds(60_000)
    expect(began).toEqual(['first'])
  })
})
