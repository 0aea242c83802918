import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isoOf } from '#shared/platform/times.ts'
import { startPermits } from '#tests/support/permits/world.ts'
import { writes } from '#tests/support/platform/killed-process.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { decisionMs } from '../approval.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const start = () => startPermits(database.table)

describe('an approved effect', () => {
  it.each(['send', 'write'] as const)(
    'is carried out once, and its agent told (%s)',
    async (by) => {
      const world = await start()
      const id = await world.park({ by })
      expect(await world.view(id)).toMatchObject({ state: 'pending', result: null })
      await world.decide(id, { decision: 'approve', note: 'Be quick.' })
      await world.run()
      expect(await world.view(id)).toMatchObject({
        state: 'done',
        decidedBy: `user:${world.userId}`,
        note: 'Be quick.',
        result: { status: 201, body: 'done' },
      })
      expect(await world.effects(id)).toBe(1)
      expect(world.told(id)).toEqual([
        expect.stringMatching(/approved this request[\s\S]*201[\s\S]*Be quick\.[\s\S]*done/),
      ])
      expect(await world.isIdle()).toBe(true)
    },
  )

  it.each(['send', 'write'] as const)(
    'is carried out at most once if its process is killed at any call (%s)',
    async (by) => {
      let outcomes = ''
      for (let calls = 0; calls < 30; calls++)
        for (const isLastCarriedOut of [false, true]) {
          const world = await start()
          const id = await world.park({ by })
          await world.decide(id, { decision: 'approve' })
          const isKilled = await world.run({ calls, isLastCarriedOut })
          await world.runUntilIdle()
          const { state, result } = await world.view(id)
          const effects = await world.effects(id)
          outcomes += state === 'done' ? 'd' : 'f'
          if (state === 'done') expect(effects).toBe(1)
          else
            expect({ state, result, by, effects }).toEqual({
              state: 'failed',
              result: { error: expect.stringContaining('may have been done') },
              by: 'send',
              effects: expect.toSatisfy((count) => count <= 1),
            })
          expect(world.told(id).length).toBeGreaterThan(0)
          if (!isKilled) return expect(outcomes).toContain('d')
        }
      throw new Error('no process finished')
    },
  )

  it('is carried out if the process that decided it is killed before its message', async () => {
    const world = await start()
    const id = await world.park({ by: 'send' })
    await world.decide(id, { decision: 'approve' })
    world.loseMessages()
    await world.runUntilIdle()
    expect(await world.view(id)).toMatchObject({ state: 'done' })
    expect(world.told(id).length).toBeGreaterThan(0)
  })

  it.each(['send', 'write'] as const)(
    'is carried out once if its messages arrive early, late, again and in the wrong order (%s)',
    async (by) => {
      const world = await start()
      const id = await world.park({ by })
      const { userId } = world
      // Neither the first message of a pending approval nor one of a later attempt decides anything.
      for (const attempt of [1, 2, 3, 9]) await world.deliver({ userId, approvalId: id, attempt })
      expect(await world.view(id)).toMatchObject({ state: 'pending' })
      await world.decide(id, { decision: 'approve' })
      for (const attempt of [0, 1, 9]) await world.deliver({ userId, approvalId: id, attempt })
      expect(await world.effects(id)).toBe(0)
      await world.runUntilIdle()
      const ended = await world.view(id)
      expect(ended).toMatchObject({ state: 'done' })
      const told = world.told(id).length
      await world.deliverAgain()
      expect([await world.view(id), await world.effects(id)]).toEqual([ended, 1])
      expect(world.told(id)).toHaveLength(told)
    },
  )

  it('is not carried out after a denial, by any of its messages', async () => {
    const world = await start()
    const id = await world.park({ by: 'send' })
    await world.decide(id, { decision: 'deny' })
    await world.runUntilIdle()
    await world.deliverAgain()
    const { userId } = world
    for (const attempt of [1, 2, 3]) await world.deliver({ userId, approvalId: id, attempt })
    expect([(await world.view(id)).state, await world.effects(id)]).toEqual(['denied', 0])
  })

  it('is sent if its process is killed before the sending state', async () => {
    const world = await start()
    const id = await world.park({ by: 'send' })
    await world.decide(id, { decision: 'approve' })
    // The claim is carried out, and the write of the sending state is not.
    await world.run({ calls: 1, counts: writes })
    await world.runUntilIdle()
    expect(await world.view(id)).toMatchObject({ state: 'done' })
    expect(await world.effects(id)).toBe(1)
  })

  it('fails with the reason if its agent was deleted, its executor refuses or is unknown', async () => {
    const world = await start()
    const [refused, unknown, gone] = [
      await world.park({ by: 'refuse' }),
      await world.park({ by: 'unknown' }),
      await world.park({ by: 'send' }),
    ]
    for (const id of [refused, unknown]) await world.decide(id, { decision: 'approve' })
    await world.run()
    await world.decide(gone, { decision: 'approve' })
    await world.deleteAgent()
    await world.run()
    const results = []
    for (const id of [refused, unknown, gone]) results.push((await world.view(id)).result)
    expect(results).toEqual([
      { error: 'The credential was deleted' },
      { error: 'exec cannot be carried out' },
      { error: 'The agent was deleted' },
    ])
    expect(world.told(refused)).toEqual([expect.stringContaining('The credential was deleted')])
  })
})

describe('an approval without a decision', () => {
  it('expires after a day, also if every process is killed, and its agent gets a turn', async () => {
    for (let calls = 0; ; calls++) {
      const world = await start()
      const id = await world.park({ by: 'send' })
      world.clock.now += decisionMs - 60_000
      await world.run()
      expect(await world.view(id)).toMatchObject({ state: 'pending' })
      world.clock.now += 120_000
      const isKilled = await world.run({ calls })
      await world.runUntilIdle()
      expect(await world.view(id)).toMatchObject({ state: 'expired', result: null })
      expect(await world.effects(id)).toBe(0)
      expect(world.told(id)[0]).toContain('did not decide')
      if (!isKilled) break
      expect(calls).toBeLessThan(40)
    }
  })

  it('is not decided after its expiry, before the job has expired it', async () => {
    const world = await start()
    const id = await world.park({ by: 'send' })
    await world.set(id, { until: isoOf(Date.now() - 1) })
    await expect(world.decide(id, { decision: 'approve' })).rejects.toMatchObject({
      code: 'APPROVAL_DECIDED',
      details: { state: 'expired' },
    })
    await world.runUntilIdle()
    expect(await world.effects(id)).toBe(0)
  })
})

/** The number of approvals; APPROVALS overrides it. */
const count = Number(process.env.APPROVALS ?? 60)

it(
  `${count} approvals of 10 agents over killed processes are each carried out once, and told`,
  { timeout: 60_000 + count * 500 },
  async () => {
    const worlds = await Promise.all(Array.from({ length: 10 }, start))
    const ids: { world: (typeof worlds)[number]; id: string; by: 'send' | 'write' }[] = []
    for (let i = 0; i < count; i++) {
      const world = worlds[i % worlds.length]
      if (world === undefined) continue
      const by = i % 3 === 0 ? 'write' : 'send'
      const id = await world.park({ by })
      ids.push({ world, id, by })
      if (world.pending.length >= 50) await decideAll(world)
    }
    for (const world of worlds) await decideAll(world)
    let kills = 0
    for (const world of worlds) {
      for (let round = 0; !(await world.isIdle()); round++) {
        const calls = Math.floor(Math.random() * 40)
        const isKilled = await world.run({ calls, isLastCarriedOut: round % 2 === 0 })
        if (isKilled) kills++
        world.clock.now += 400_000
      }
    }
    expect(kills).toBeGreaterThan(worlds.length)
    const states = new Map<string, number>()
    for (const { world, id, by } of ids) {
      const { state, result } = await world.view(id)
      states.set(state, (states.get(state) ?? 0) + 1)
      const effects = await world.effects(id)
      if (state === 'done') expect(effects).toBe(1)
      else if (state === 'denied') expect(effects).toBe(0)
      else {
        const error = expect.stringContaining('may have been done')
        expect([state, by, result]).toEqual(['failed', 'send', { error }])
        expect(effects).toBeLessThanOrEqual(1)
      }
      expect(world.told(id).length).toBeGreaterThan(0)
    }
    expect(states.get('done')).toBeGreaterThan(count / 2)
  },
)

async function decideAll(world: Awaited<ReturnType<typeof start>>): Promise<void> {
  for (const [i, id] of world.pending.splice(0).entries())
    await world.decide(id, { decision: i % 7 === 6 ? 'deny' : 'approve' })
}
