import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newUser } from '#shared/accounts/users/user.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { newId } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { killedAfter } from '#tests/support/conversations/restore-scenes.ts'
import { memoryObjects } from '#tests/support/platform/memory-objects.ts'
import { recorded } from '#tests/support/platform/recorded-queues.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { collectPacks } from './collection/collect.ts'
import { usedPacks } from './collection/mark.ts'
import { deleteFile } from './delete.ts'
import { listFiles } from './list.ts'
import { moveFile } from './move.ts'
import { packsPrefix } from './packs.ts'
import { packReader } from './packs.ts'
import { pinFiles, unpinFiles } from './pin.ts'
import { putFile } from './put.ts'
import { readFile } from './read.ts'
import { removeFiles } from './remove.ts'
import { fileRows, storageRows } from './rows.ts'
import { tickFiles } from './tick.ts'
import { openTree } from './tree/tree.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const hourMs = 3_600_000

/** An agent's files over objects in memory. */
async function newFiles() {
  const { table } = database
  let writesLeft = Infinity
  const { objects: packs, stored } = memoryObjects(() => {
    if (writesLeft-- <= 0) throw new Error('killed')
  })
  const owner = newId('usr')
  const user = newUser({ id: owner, email: `${owner}@b.co`, name: 'Ada', referralCode: owner })
  const subscription = { id: null, status: 'active' as const, customerId: null }
  await userStore(table, owner).put('profile', { ...user, plan: 'solo', subscription })
  const { id: agentId } = await putAgent(table, owner)
  const { queues, waiting } = recorded<{ userId: string; agentId: string }>()
  const contextOver = (over: Table) => ({
    table: over,
    packs,
    owner,
    queues,
    links: { to: async (key: string) => key },
    mailer: { send: async () => {} },
    webUrl: 'http://localhost:3000',
    log: createLog({ function: 'test' }),
  })
  const ctx = contextOver(table)
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const row = () => fileRows.find(table, { userId: owner, agentId })
  return {
    ctx,
    owner,
    agentId,
    stored,
    waiting,
    row,
    contextOver,
    /** Lets the process die at a write to the object store. */
    dieAfter: (writes: number) => (writesLeft = writes),
    put: (path: string, text: string, by = ctx) =>
      putFile(by, { agentId, path, content: bytesOf(text), conditions: {} }),
    remove: (path: string, by = ctx) =>
      deleteFile(by, { agentId, path, recursive: true, conditions: {} }),
    move: (from: string, to: string, by = ctx) =>
      moveFile(by, { agentId, from, to, overwrite: true }),
    /** Returns the whole content: a text by path, and null for a folder. */
    async content(): Promise<Map<string, string | null>> {
      const all = new Map<string, string | null>()
      const waiting = ['']
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop())
        for (const entry of (await listFiles(ctx, { agentId, path, limit: 1000 })).entries) {
          if (entry.type === 'folder') waiting.push(entry.path)
          const file = entry.type === 'file' && (await readFile(ctx, { agentId, path: entry.path }))
          const bytes = file && (await file.read(0, file.size))
          all.set(entry.path, bytes ? bytes.toString() : null)
        }
      return all
    },
    /** Collects at a time, by the tick. @returns the number of objects that are left */
    async collect(now: number): Promise<number> {
      await tickFiles(ctx, now)
      for (const message of waiting.splice(0))
        if (message.agentId === agentId) await collectPacks(ctx, message, now)
      return stored.size
    },
    /** Returns the ids of all packs that a root needs. */
    async needed(): Promise<ReadonlySet<string>> {
      return (await usedPacks({ store: userStore(table, owner), packs }, agentId)).used
    },
  }
}

type Files = Awaited<ReturnType<typeof newFiles>>

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
async function act(files: Files, one: Step, by = files.ctx): Promise<boolean> {
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
        const prefix = packsPrefix(files.agentId)
        const left = [...files.stored.keys()].map((key) => key.slice(prefix.length))
        expect(new Set(left)).toEqual(await files.needed())
      }),
      { numRuns: 25 },
    )
  }, 120_000)

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
          const prefix = packsPrefix(files.agentId)
          const left = [...files.stored.keys()].map((key) => key.slice(prefix.length))
          expect(new Set(left)).toEqual(await files.needed())
          expect(await act(files, { kind: 'put', path: 'x', text: 'alive' })).toBe(true)
        }
    expect(kills).toBeGreaterThan(8)
  }, 120_000)
})

describe('a collection', () => {
  it('leaves a pack that just became unused for an hour, and then removes it', async () => {
    const files = await newFiles()
    const start = Date.now()
    await files.put('a', 'one')
    await files.put('a', 'two')
    expect(files.stored.size).toBe(4)
    expect(await files.collect(start + 0.5 * hourMs)).toBe(4)
    expect(await files.collect(start + 1.1 * hourMs)).toBe(4)
    expect(await files.collect(start + 1.6 * hourMs)).toBe(4)
    expect(await files.collect(start + 2.2 * hourMs)).toBe(2)
    // It has ended: nothing is due any more.
    await files.collect(start + 3.3 * hourMs)
    await tickFiles(files.ctx, start + 99 * hourMs)
    const { agentId } = files
    expect(files.waiting.filter((message) => message.agentId === agentId)).toEqual([])
  })

  it('that dies is repeated, and one that was announced in the meantime stays due', async () => {
    const files = await newFiles()
    const start = Date.now()
    await files.put('a', 'one')
    await files.put('a', 'two')
    await files.collect(start + 1.1 * hourMs)
    files.dieAfter(1)
    await expect(files.collect(start + 2.2 * hourMs)).rejects.toThrow('killed')
    files.dieAfter(Infinity)
    expect(files.stored.size).toBe(3)
    expect(await files.collect(start + 2.4 * hourMs)).toBe(2)
    expect(await files.content()).toEqual(new Map([['a', 'two']]))
  })

  it('keeps the packs of a pinned root, also after the agent’s deletion, until the pin is removed', async () => {
    const files = await newFiles()
    const { owner: userId, agentId, ctx } = files
    await files.put('a/b', 'kept')
    const pin = { userId, agentId, pinId: 'snp_1' }
    const pinned = await pinFiles(ctx, pin)
    expect(pinned).toMatchObject({ bytes: 4, files: 1 })
    await files.put('a/b', 'newer')
    expect(await pinFiles(ctx, pin)).toEqual(pinned)
    const store = userStore(database.table, userId)
    await removeFiles({ table: database.table, store, agentId, deadline: Infinity })
    const now = Date.now() + 1000
    expect(await files.collect(now)).toBe(2)
    for (const hours of [1.1, 2.2, 30]) expect(await files.collect(now + hours * hourMs)).toBe(2)
    const { readList, readFile: read } = packReader(ctx.packs, agentId)
    const tree = openTree(readList, pinned?.root, { bytes: 4, files: 1 })
    const file = await tree.find(['workspace', 'a', 'b'])
    expect(typeof file === 'object' && (await read(file.parts, 0, 4)).toString()).toBe('kept')
    await unpinFiles(ctx, pin, now + 31 * hourMs)
    expect(await files.collect(now + 31.1 * hourMs)).toBe(0)
    expect(await files.row()).toBeUndefined()
  })

  it('removes everything of a deleted agent at once, and its row later', async () => {
    const files = await newFiles()
    await files.put('a/b', 'text')
    const { owner: userId, agentId } = files
    const store = userStore(database.table, userId)
    for (let i = 0; i < 2; i++)
      await removeFiles({ table: database.table, store, agentId, deadline: Infinity })
    expect(await storageRows.find(database.table, { userId })).toMatchObject({ taken: 0 })
    const now = Date.now() + 1000
    expect(await files.collect(now)).toBe(0)
    expect(await files.row()).toMatchObject({ deletedAt: expect.any(Number) })
    await expect(files.put('late', 'x')).rejects.toThrow('Agent not found')
    expect(files.stored.size).toBe(0)
    await files.collect(now + 1.1 * hourMs)
    expect(await files.row()).toBeUndefined()
  })

  it('leaves the files of a container, whose commits only that container makes', async () => {
    const files = await newFiles()
    await files.put('a', 'one')
    const key = fileRows.key({ userId: files.owner, agentId: files.agentId })
    await database.table.update(key, { set: { holder: 7 } })
    await expect(files.put('a', 'two')).rejects.toMatchObject({
      kind: 'unavailable',
      headers: { 'Retry-After': '5' },
    })
    expect(await files.content()).toEqual(new Map([['a', 'one']]))
  })
})
