import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformError } from '#shared/platform/errors.ts'
import { type StoredFiles, storedFiles } from '#tests/support/agents/stored-files.ts'
import { killedAfter } from '#tests/support/conversations/restore-scenes.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { storageRows } from '../storage/rows.ts'
import { fileLimit } from './change.ts'
import { fileRows } from './rows.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const hourMs = 3_600_000
const clean = { unused: [], missing: [] }
const newFiles = () => storedFiles(database.table)

const path = fc
  .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
  .map((names) => names.join('/'))
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      path,
      text: fc.string({ maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), path, to: path }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Carries out a step. @returns false if it was refused */
async function act(files: StoredFiles, one: Step, by = files.ctx): Promise<boolean> {
  try {
    if (one.kind === 'put') await files.put(one.path, one.text, by)
    else if (one.kind === 'remove') await files.remove(one.path, by)
    else await files.move(one.path, one.to, by)
    return true
  } catch (error) {
    if (error instanceof PlatformError) return false
    throw error
  }
}

type Model = Map<string, string | null>

const within = (model: Model, at: string) =>
  [...model].filter(([one]) => one === at || one.startsWith(`${at}/`))

/** Carries out a step on a map of paths. @returns undefined if the step is refused */
function modelled(before: Model, one: Step): Model | undefined {
  const model = new Map(before)
  const target = one.kind === 'move' ? one.to : one.path
  const names = target.split('/')
  const parents = names.slice(1).map((_, i) => names.slice(0, i + 1).join('/'))
  if (one.kind === 'remove') {
    for (const [gone] of within(model, one.path)) model.delete(gone)
    return before.has(one.path) ? model : undefined
  }
  if (one.kind === 'move') {
    if (`${target}/`.startsWith(`${one.path}/`) || `${one.path}/`.startsWith(`${target}/`))
      return undefined
    if (!before.has(one.path)) return undefined
  }
  if (parents.some((each) => typeof model.get(each) === 'string')) return undefined
  if (one.kind === 'put' && model.get(target) === null) return undefined
  const moved = one.kind === 'move' ? within(model, one.path) : []
  for (const [gone] of [...moved, ...within(model, target)]) model.delete(gone)
  for (const each of parents) model.set(each, null)
  if (one.kind === 'put') model.set(target, one.text)
  for (const [each, text] of moved) model.set(target + each.slice(one.path.length), text)
  return model
}

const bytesIn = (model: Model) =>
  [...model.values()].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)

describe('files of an agent', () => {
  it('are what a map of paths is, after any sequence of changes and collections', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), fc.nat(15), async (steps, collectAt) => {
        const files = await newFiles()
        let model: Model = new Map()
        for (const [i, one] of steps.entries()) {
          const next = modelled(model, one)
          expect(await act(files, one)).toBe(next !== undefined)
          model = next ?? model
          if (i === collectAt)
            for (const hours of [1.1, 2.2]) await files.collect(Date.now() + hours * hourMs)
        }
        expect(await files.content()).toEqual(model)
        const use = await storageRows.find(database.table, { userId: files.owner })
        expect([use?.taken ?? 0, use?.reserved ?? 0]).toEqual([bytesIn(model), 0])
        for (const hours of [3.3, 4.4, 5.5]) await files.collect(Date.now() + hours * hourMs)
        expect(await files.content()).toEqual(model)
        // Nothing but the needed packs is left.
        expect(await files.unneeded()).toEqual(clean)
      }),
      { numRuns: 40 },
    )
  }, 120_000)

  it('are at most 200,000: a further one is refused, and no other change', async () => {
    const files = await newFiles()
    await files.put('a', 'one')
    const key = fileRows.key({ userId: files.owner, agentId: files.agentId })
    await database.table.update(key, { set: { files: fileLimit } })
    await expect(files.put('b', 'two')).rejects.toMatchObject({
      code: 'FILE_LIMIT_REACHED',
      details: { current: fileLimit, limit: fileLimit },
    })
    await files.put('a', 'two')
    await files.move('a', 'b')
    await files.remove('b')
    await files.put('c', 'three')
    expect(await files.content()).toEqual(new Map([['c', 'three']]))
  })

  it('survive a kill between any two writes, which leaves only packs that a collection removes', async () => {
    const steps: Step[] = [
      { kind: 'put', path: 'a/b', text: 'two' },
      { kind: 'put', path: 'a/c', text: 'new' },
      { kind: 'move', path: 'a', to: 'd' },
      { kind: 'remove', path: 'a' },
    ]
    let kills = 0
    for (const one of steps)
      for (const where of ['table', 'objects'] as const)
        for (let writes = 0; writes < 6; writes++) {
          const files = await newFiles()
          await files.put('a/b', 'one')
          // The next writer must announce its packs again.
          await database.table.update(
            fileRows.key({ userId: files.owner, agentId: files.agentId }),
            {
              remove: ['collectAt', 'gsi1pk', 'gsi1sk'],
            },
          )
          const before = await files.content()
          const dying = killedAfter(database.table, where === 'table' ? writes : Infinity)
          if (where === 'objects') files.dieAfter(writes)
          const done = await act(files, one, files.contextOver(dying.table)).catch(() => false)
          files.dieAfter(Infinity)
          const after = modelled(before, one)
          expect(await files.content()).toEqual(done ? after : before)
          if (!done) kills++
          for (const hours of [1.1, 2.2, 3.3]) await files.collect(Date.now() + hours * hourMs)
          expect(await files.content()).toEqual(done ? after : before)
          expect(await files.unneeded()).toEqual(clean)
          expect(await act(files, { kind: 'put', path: 'x', text: 'alive' })).toBe(true)
        }
    expect(kills).toBeGreaterThan(8)
  }, 120_000)
})
