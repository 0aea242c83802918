import fc from 'fast-check'
import { expect, it } from 'vitest'
import { useScheduled } from '#tests/support/conversations/scheduled.ts'
import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'

const on = useScheduled()

type Step =
  | { do: 'wait'; seconds: number }
  | { do: 'tick'; times: number }
  | { do: 'tick, killed'; requests: number; after: boolean }
  | { do: 'lose' }
  | { do: 'repeat' }
  | { do: 'deliver' }
  | { do: 'deliver, killed'; requests: number; after: boolean }

const death = { requests: fc.nat(8), after: fc.boolean() }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ do: fc.constant('tick' as const), times: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('tick, killed' as const), ...death }),
  fc.record({ do: fc.constantFrom('lose' as const, 'repeat' as const, 'deliver' as const) }),
  fc.record({ do: fc.constant('deliver, killed' as const), ...death }),
)

// Sixty histories of up to 25 steps each need this time on a busy machine.
it(
  'starts no run twice and ends every one, through kills and lost messages',
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const world = await on.scheduled()
        const survive = (work: Promise<unknown>) =>
          work.catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error
          })
        for (const one of steps) {
          if (one.do === 'wait') world.wait(one.seconds)
          else if (one.do === 'tick')
            await Promise.all(Array.from({ length: one.times }, () => world.tick()))
          else if (one.do === 'lose') world.sent.length = 0
          else if (one.do === 'repeat') world.sent.push(...world.sent)
          else if (one.do === 'deliver') await world.deliver()
          else {
            const { requests: calls, after: isLastCarriedOut } = one
            const dying = killedProcess({ calls, isLastCarriedOut }).reach(on.table)
            const run = world.sent.shift()
            if (one.do === 'tick, killed') await survive(world.tick(dying))
            else if (run !== undefined) await survive(world.consume(run, dying))
          }
        }
        // After the failures, every run ends.
        world.wait(2 * 3600)
        for (let i = 0; i < 3; i++) {
          await world.tick()
          await world.deliver()
          world.wait(1000)
        }
        const runs = await world.runs()
        expect(runs.length).toBeGreaterThan(0)
        expect(runs.filter(({ state }) => state !== 'ok' && state !== 'failed')).toEqual([])
        expect(new Set(world.asked).size).toBe(world.asked.length)
        const served = runs.filter(({ state }) => state === 'ok').map(({ seed }) => seed)
        expect(served.filter((seed) => !world.asked.includes(seed))).toEqual([])
        expect((await world.task()).activeRun).toBeUndefined()
        const places = await world.store.get('runs-under-way')
        expect(places?.count ?? 0).toBe(0)
      }),
      { numRuns: 60 },
    )
  },
)
