import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PlatformError } from '#shared/platform/errors.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { useScheduled } from '#tests/support/conversations/scheduled.ts'

const on = useScheduled()

const everyMinute = { cronSchedule: '* * * * *', timezone: 'UTC' }

/** The states of a returning agent before it can receive a run. */
const absences = {
  'is known to start': 'status',
  'is not running any more': () =>
    new PlatformError('conflict', 'The agent is not running', { code: 'AGENT_NOT_RUNNING' }),
  'still counts as running, and nothing listens there': () =>
    new PlatformError('bad-gateway', 'The agent cannot be reached', {
      code: 'AGENT_UNREACHABLE',
      cause: new HttpFailure('unreachable', 'refused', { code: 'ECONNREFUSED' }),
    }),
  'was stopped while it was asked': () =>
    new PlatformError('conflict', 'The agent was stopped or restarted in the meantime', {
      code: 'AGENT_NOT_RUNNING',
      cause: new PlatformError('bad-gateway', 'The agent cannot be reached', {
        cause: new HttpFailure('unreachable', 'refused', { code: 'ECONNREFUSED' }),
      }),
    }),
} as const

const restart = fc.record({
  how: fc.constantFrom(...(Object.keys(absences) as (keyof typeof absences)[])),
  /** The tick claims the run at this second of the minute. */
  second: fc.integer({ min: 0, max: 59 }),
  /** The seconds until the agent is back. */
  away: fc.integer({ min: 1, max: 110 }),
  /** The seconds between two polls of the queue. */
  step: fc.integer({ min: 1, max: 20 }),
  /** If true, each message is delivered twice. */
  twice: fc.boolean(),
})

it(
  'the run of the minute of a restart and the run of the next minute each start once, however late the agent returns',
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(restart, async ({ how, second, away, step, twice }) => {
        const world = await on.scheduled('running', everyMinute)
        const { nextRun } = await world.task()
        const first = Date.parse(String(nextRun))
        const begins = first + second * 1000
        world.clock.now = begins
        const absence = absences[how]
        const setStatus = (status: string) =>
          world.store.update(`agent#${world.agent.id}`, { set: { status } })
        if (absence === 'status') await setStatus('provisioning')
        else world.refusal = absence
        let isBack = false
        let minute: number | undefined
        // Four whole minutes, because the agent can be away until the third one ends; the first poll of each minute runs
        // the schedules' tick.
        while (world.clock.now < first + 240_000) {
          if (!isBack && world.clock.now >= begins + away * 1000) {
            isBack = true
            world.refusal = () => undefined
            await setStatus('running')
          }
          const now = Math.floor(world.clock.now / 60_000)
          if (now !== minute) await world.tick()
          minute = now
          if (twice) world.sent.push(...world.sent)
          await world.deliver()
          // The delayed message continues the run ten seconds later, before the next tick.
          if (world.clock.now >= begins + (away + 10 + 2 * step) * 1000)
            expect((await world.runs())[0]).toMatchObject({ state: 'ok' })
          world.wait(step)
        }
        const runs = (await world.runs()).toSorted((a, b) => a.due.localeCompare(b.due))
        const at = (n: number) => new Date(first + n * 60_000).toISOString()
        expect(runs.slice(0, 2)).toMatchObject([
          { due: at(0), state: 'ok' },
          { due: at(1), state: 'ok' },
        ])
        expect(world.asked).toEqual(runs.map(({ seed }) => seed))
        expect((await world.store.get('runs-under-way'))?.count ?? 0).toBe(0)
      }),
      {
        numRuns: 25,
        // The agent is back between the last two polls of the third minute.
        examples: [[{ how: 'is known to start', second: 54, away: 109, step: 18, twice: false }]],
      },
    )
  },
)

it('a run that may have reached its agent is not started again', async () => {
  const world = await on.scheduled('running', everyMinute)
  world.wait(60)
  await world.tick()
  world.answer = async () => {
    throw new PlatformError('bad-gateway', 'The agent’s answer was interrupted', {
      code: 'AGENT_UNREACHABLE',
      cause: new HttpFailure('closed', 'it broke off'),
    })
  }
  await world.deliver()
  expect(await world.runs()).toMatchObject([{ state: 'failed' }])
})

it('a run fails if its agent was stopped by its owner', async () => {
  const world = await on.scheduled('stopped', everyMinute)
  world.refusal = absences['is not running any more']
  world.wait(60)
  await world.tick()
  await world.deliver()
  expect(await world.runs()).toMatchObject([
    { state: 'failed', reason: 'The agent is not running' },
  ])
})
