import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { newSeed } from '#shared/platform/ids.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'
import { entity } from '#shared/platform/table/entity.ts'
import { recorded } from '#tests/support/platform/recorded-queues.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { dueIndex } from './due-index.ts'
import { counter } from './fence.ts'
import { workItems } from './items.ts'
import { unlessLeaseLost } from './lease-lost.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

/** An example noun: letters that are delivered once. */
const letterRows = entity({
  name: 'letter',
  pk: 'letter#{id}',
  sk: 'letter',
  gsi1: { pk: 'letters#{shard}', sk: '{due}#{id}' },
  schema: () => z.object({ id: z.string(), tries: z.number(), postedAt: z.string().optional() }),
})
type Letter = z.output<ReturnType<typeof letterRows.declared.schema>>

const letters = topic('notices', () => z.object({ id: z.string(), attempt: z.number() }))
const lettersDue = dueIndex('letters', 2)

const letterWork = workItems({
  rows: letterRows,
  key: ({ id }: Letter) => letterRows.key({ id }),
  id: ({ id }) => id,
  due: lettersDue,
  fence: counter('tries', ({ tries }: Letter) => tries),
  topic: letters,
  message: ({ id, tries }) => ({ id, attempt: tries + 1 }),
  leaseMs: 30_000,
  lostMs: 10_000,
  resendMs: 50_000,
})

/** Attempts to deliver a letter, again after five seconds, until it succeeds. */
async function takeUp(ctx: Post, message: MessageOf<typeof letters>): Promise<void> {
  const row = await letterRows.find(ctx.table, message)
  const letter = row && (await letterWork.claim(ctx, row, { message }))
  if (letter === undefined) return
  const step = ctx.takes(letter)
    ? letterWork.finish(ctx, letter, { set: { postedAt: new Date().toISOString() } })
    : letterWork.later(ctx, letter, 5)
  await unlessLeaseLost(step)
}

interface Post {
  table: TestTable['table']
  queues: Queues
  takes(letter: Letter): boolean
}

describe('a noun with durable work', () => {
  it('is retried until it is done, and a repeated message changes nothing', async () => {
    const id = newSeed()
    const { waiting, queues } = recorded<MessageOf<typeof letters>>()
    const tried: number[] = []
    const takes = ({ tries }: Letter) => tried.push(tries) === 3
    const ctx = { table: database.table, queues, takes }
    const letter = { id, tries: 0 }
    await ctx.table.put(letterRows.put({ id }, letter, lettersDue.at(id, Date.now())))
    expect(await letterWork.tick(ctx, Date.now())).toBe(1)
    for (const message of waiting) {
      await takeUp(ctx, message)
      await takeUp(ctx, message)
    }
    expect(tried).toEqual([1, 2, 3])
    const row = await ctx.table.get(letterRows.key({ id }))
    expect(row).toMatchObject({ tries: 3, postedAt: expect.any(String) })
    expect(row).not.toHaveProperty('gsi1pk')
    expect(await letterWork.tick(ctx, Date.now() + 86_400_000)).toBe(0)
  })

  it('is requested again until a message has an effect, each time after the time that it declares', async () => {
    const id = newSeed()
    const { waiting, queues } = recorded<MessageOf<typeof letters>>()
    const ctx = { table: database.table, queues }
    const now = Date.now()
    await ctx.table.put(letterRows.put({ id }, { id, tries: 0 }, lettersDue.at(id, now)))
    for (const [waitedMs, sent] of [
      [0, 1],
      [49_000, 0],
      [50_000, 1],
      [99_000, 0],
      [100_000, 1],
    ] as const)
      expect(await letterWork.tick(ctx, now + waitedMs)).toBe(sent)
    expect(new Set(waiting.map(({ attempt }) => attempt))).toEqual(new Set([1]))
    const claimed = await letterWork.claim(ctx, { id, tries: 0 }, { now: now + 100_000 })
    expect(claimed).toBeDefined()
    expect(await letterWork.tick(ctx, now + 129_000)).toBe(0)
    expect(await letterWork.tick(ctx, now + 130_000)).toBe(1)
    expect(waiting.at(-1)).toEqual({ id, attempt: 2 })
    if (claimed !== undefined) await letterWork.finish(ctx, claimed, {})
  })

  it('waits for the tick if a delay is longer than the longest delay of a message', async () => {
    const id = newSeed()
    const { waiting, queues } = recorded<MessageOf<typeof letters>>()
    const ctx = { table: database.table, queues }
    await ctx.table.put(letterRows.put({ id }, { id, tries: 0 }, lettersDue.at(id, Date.now())))
    const claimed = await letterWork.claim(ctx, { id, tries: 0 })
    if (claimed === undefined) throw new Error('it was not claimed')
    const now = Date.now()
    await letterWork.later(ctx, claimed, 901, { now })
    expect(waiting).toEqual([])
    expect(await letterWork.tick(ctx, now + 900_000)).toBe(0)
    expect(await letterWork.tick(ctx, now + 901_000)).toBe(1)
    expect(waiting).toEqual([{ id, attempt: 2 }])
  })
})
