import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { useScheduled } from '#tests/support/conversations/scheduled.ts'
import { changeTask } from './change.ts'
import { latestRun, nextRun, type Schedule } from './next-run.ts'

const on = useScheduled()

const minute = 60_000
const everyMinute = { cronSchedule: '* * * * *', timezone: 'UTC' }

type World = Awaited<ReturnType<typeof on.scheduled>>

/** Returns the due times of the runs that the agent received, in the order of the requests. */
async function askedTimes({ asked, runs }: World): Promise<string[]> {
  const bySeed = new Map((await runs()).map(({ seed, due }) => [seed, due]))
  return asked.map((seed) => bySeed.get(seed) ?? seed)
}

/** Creates a task that is due every minute and was missed since its first time. */
async function missed() {
  const world = await on.scheduled('running', everyMinute)
  const first = Date.parse(String((await world.task()).nextRun))
  const at = (minutes: number) => new Date(first + minutes * minute).toISOString()
  return { world, first, at }
}

describe('after an outage', () => {
  it('the missed minute and the current minute both run, in this order', async () => {
    const { world, first, at } = await missed()
    world.clock.now = first + minute
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    world.clock.now += minute
    await world.tick()
    await world.deliver()
    expect(await askedTimes(world)).toEqual([at(0), at(1), at(2)])
  })

  it('the next time runs even if it is due during the missed run', async () => {
    const world = await on.scheduled()
    const { nextRun: first } = await world.task()
    const [after, later] = [5, 10].map((minutes) =>
      new Date(Date.parse(String(first)) + minutes * minute).toISOString(),
    )
    world.clock.now = Date.parse(String(after)) - 2000
    await world.tick()
    world.answer = async () => {
      world.answer = async () => {}
      world.wait(90)
      // The schedules continue in the meantime.
      await world.tick()
    }
    await world.deliver()
    expect(await askedTimes(world)).toEqual([first, after])
    expect(await world.task()).toMatchObject({ nextRun: later, lastRun: after, lastStatus: 'ok' })
  })

  it('no run is caught up for the time during which a task was disabled', async () => {
    const world = await on.scheduled()
    const { id } = await world.task()
    vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now })
    await changeTask(world.ctx, { taskId: id, enabled: false })
    world.wait(3600)
    expect(await world.tick()).toEqual({ sent: 0 })
    vi.setSystemTime(world.clock.now)
    await changeTask(world.ctx, { taskId: id, enabled: true })
    vi.useRealTimers()
    expect(await world.tick()).toEqual({ sent: 0 })
    world.wait(60)
    expect(await world.tick()).toEqual({ sent: 1 })
  })

  it('the latest of many missed minutes is caught up, once', async () => {
    const { world, first, at } = await missed()
    world.clock.now = first + 600 * minute + 1000
    await Promise.all([world.tick(), world.tick(), world.tick()])
    await world.deliver()
    expect(await askedTimes(world)).toEqual([at(599), at(600)])
  })

  it('a lost message is sent again, and then the run that waits for it', async () => {
    const { world, first, at } = await missed()
    world.clock.now = first + minute
    await world.tick()
    await world.deliver()
    expect(world.sent).toEqual([])
    world.clock.now += 5 * minute
    await world.tick()
    world.sent.length = 0
    world.wait(60)
    await world.tick()
    await world.deliver()
    expect(await askedTimes(world)).toEqual([at(0), at(1), at(5), at(6), at(7)])
    expect(new Set(world.asked).size).toBe(world.asked.length)
  })
})

/** A day of outages: minutes with and without the platform, and the seconds of its ticks. */
const life = fc.record({
  cronSchedule: fc.constantFrom('* * * * *', '*/2 * * * *', '*/7 * * * *', '5-25 * * * *'),
  timezone: fc.constantFrom('UTC', 'Europe/London', 'Asia/Kathmandu', 'America/St_Johns'),
  minutes: fc.array(
    fc.record({ up: fc.boolean(), second: fc.nat(59), ticks: fc.integer({ min: 1, max: 2 }) }),
    { minLength: 5, maxLength: 25 },
  ),
})

/** Returns every time of a schedule from `from` and before `before`. */
function timesOf(schedule: Schedule, from: number, before: number): string[] {
  const times: string[] = []
  for (let at = nextRun(schedule, new Date(from - 1)); at !== null;) {
    if (Date.parse(at) >= before) break
    times.push(at)
    at = nextRun(schedule, new Date(at))
  }
  return times
}

it(
  'every minute in which the platform runs is executed, and the last minute of each outage, in order',
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ minutes, ...schedule }) => {
        const world = await on.scheduled('running', schedule)
        const first = Date.parse(String((await world.task()).nextRun))
        const expected: string[] = []
        let outage: string[] = []
        for (const [n, { up, second, ticks }] of minutes.entries()) {
          const begins = first + n * minute
          const due = timesOf(schedule, begins, begins + minute)
          if (!up) {
            outage.push(...due)
            continue
          }
          world.clock.now = begins + second * 1000
          await Promise.all(Array.from({ length: ticks }, () => world.tick()))
          await world.deliver()
          expected.push(...outage.slice(-1), ...due)
          outage = []
        }
        expect(await askedTimes(world)).toEqual(expected)
      }),
      { numRuns: 20 },
    )
  },
)

it('the latest time is the last of consecutive times, even if clocks change', () => {
  const days = fc.integer({ min: 0, max: 1 })
  fc.assert(
    fc.property(
      fc.constantFrom('* * * * *', '*/7 1-2 * * *', '30 1 * * *', '0 3 * * 0', '15 */6 * * *'),
      fc.constantFrom('Europe/London', 'America/New_York', 'Australia/Lord_Howe', 'UTC'),
      fc.constantFrom('2026-03-28T22:13:00Z', '2026-10-24T22:13:00Z', '2026-11-01T03:30:00Z'),
      days,
      fc.integer({ min: 0, max: 1439 }),
      (cronSchedule, timezone, start, later, minutes) => {
        const schedule = { cronSchedule, timezone }
        const from = String(nextRun(schedule, new Date(start)))
        const before = Date.parse(from) + (later * 1440 + minutes) * minute
        const times = timesOf(schedule, Date.parse(from), before)
        expect(latestRun(schedule, from, before)).toBe(times.at(-1) ?? from)
      },
    ),
    { numRuns: 50 },
  )
})
