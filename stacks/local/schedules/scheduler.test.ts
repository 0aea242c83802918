import { describe, expect, test } from 'vitest'
import { fixture } from '../testing/manifest.ts'
import { startHarness, until } from '../testing/harness.ts'
import { type ScheduledEvent, startScheduler } from './scheduler.ts'

const functions = [fixture('ticker', 'schedule', { kind: 'schedule', everyMinutes: 1 })]

describe('the scheduler', () => {
  test('runs a schedule right after the start, with a scheduler’s event', async () => {
    await using harness = await startHarness(functions)
    const scheduler = startScheduler({
      functions,
      // Its own minute may come while this runs: it is to be at the other end of the hour.
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

  test('never runs one schedule twice at a time, and goes on after a failure', async () => {
    const failures: string[] = []
    let running = 0
    let most = 0
    let runs = 0
    const scheduler = startScheduler({
      functions,
      patternOf: () => '* * * * * *',
      host: {
        async invoke() {
          most = Math.max(most, ++running)
          runs++
          await new Promise((resolve) => setTimeout(resolve, 1300))
          running--
          throw new Error('it failed')
        },
        async close() {},
      },
      onFailure: (name) => failures.push(name),
    })
    await until('three runs', () => runs === 3)
    await scheduler.close()
    expect([most, running]).toEqual([1, 0])
    expect(failures).toEqual(['ticker', 'ticker', 'ticker'])
    const stopped = runs
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect(runs).toBe(stopped)
  })

  test('runs for a minute that came during a run, at that run’s end', async () => {
    const first = Promise.withResolvers<void>()
    let runs = 0
    const scheduler = startScheduler({
      functions,
      // Its only second comes while the first run is under way, and no other within this test.
      patternOf: () => {
        const soon = new Date(Date.now() + 2000)
        return `${soon.getSeconds()} ${soon.getMinutes()} ${soon.getHours()} * * *`
      },
      host: {
        async invoke() {
          runs++
          if (runs === 1) await first.promise
          throw new Error('it failed')
        },
        async close() {},
      },
      onFailure() {},
    })
    const before = Date.now()
    await until('its second has come', () => Date.now() > before + 3000)
    expect(runs).toBe(1)
    first.resolve()
    await until('the second run', () => runs === 2)
    await scheduler.close()
    expect(runs).toBe(2)
  })
})
