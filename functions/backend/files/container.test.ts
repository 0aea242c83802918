import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileLimit } from '#shared/agents/files/change.ts'
import { packKey } from '#shared/agents/files/packs.ts'
import { fileRows } from '#shared/agents/files/rows.ts'
import { type Entry, encodeEntries, type Part } from '#shared/agents/files/tree/entry.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { storageRows } from '#shared/agents/storage/rows.ts'
import { containerFiles, type ContainerVerb } from '#tests/support/agents/container-files.ts'
import { type FilesOwner, type FilesWorld, startFiles } from '#tests/support/agents/files.ts'
import { playContainer, type PlayedContainer } from '#tests/support/agents/played-container.ts'

let world: FilesWorld
let calls: ReturnType<typeof containerFiles>
const played: PlayedContainer[] = []

beforeAll(async () => {
  world = await startFiles()
  calls = containerFiles(world)
})
afterAll(async () => {
  await Promise.all(played.map((one) => one.close()))
  await world.close()
})

async function newContainer(generation = 1, owner?: FilesOwner) {
  const ada = owner ?? (await world.newOwner())
  const container = await playContainer(world, ada, generation)
  played.push(container)
  return { ada, container }
}

const keyOf = ({ id, agentId }: FilesOwner) => ({ userId: id, agentId })
const fileEntry = (fields: object) =>
  ({ name: 'a', type: 'file', mtime: 1, size: 0, tag: 't', parts: [], ...fields }) as Entry

/** Stores a list of entries. @returns its part */
async function storeList(container: PlayedContainer, entries: Entry[]): Promise<Part> {
  const list = encodeEntries(entries)
  return [await container.store(list), 0, list.length]
}

/** The answers to a body with a generation, by verb. */
const bodies: [ContainerVerb, object][] = [
  ['open', {}],
  ['links', { packs: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] }],
  ['packs', { packs: [{ bytes: 1 }] }],
  ['commit', { base: 0, root: null, bytes: 0, files: 0 }],
]

describe('a container', () => {
  it('opens the files, reads and stores packs by links, and commits', async () => {
    const { ada, container } = await newContainer()
    await ada.put('before', 'text')
    await container.start()
    expect([...container.disk]).toEqual([['before', 'text']])
    const opened = await container.ask('open', {})
    expect(opened).toMatchObject({ version: 1, bytes: 4, files: 1, fileLimit })
    const [packId] = opened.root as Part
    const { links } = await container.ask('links', { packs: [packId] })
    const [link] = links as { id: string; url: string }[]
    expect(await (await fetch(link?.url ?? '')).text()).toContain('workspace')
    container.disk.set('a/b', 'more')
    await container.sync()
    expect(await ada.text('a/b')).toBe('more')
    expect(await ada.storage()).toMatchObject({ usedBytes: 8 })
  })

  it('keeps its version when nothing changed', async () => {
    const { container } = await newContainer()
    await container.start()
    expect((await container.ask('open', {})).version).toBe(0)
    container.disk.set('a', 'one')
    await container.sync()
    await container.sync()
    expect((await container.ask('open', {})).version).toBe(1)
  })

  it('repeats a commit whose response was lost, also the last one', async () => {
    const { ada, container } = await newContainer()
    await container.start()
    const root = await storeList(container, [])
    const first = { base: 0, root, bytes: 0, files: 0 }
    for (const _ of [1, 2]) expect(await container.ask('commit', first)).toEqual({ version: 1 })
    const again = await storeList(container, [])
    const last = { base: 1, root: again, bytes: 0, files: 0, release: true }
    for (const _ of [1, 2]) expect(await container.ask('commit', last)).toEqual({ version: 2 })
    const row = await fileRows.find(world.table, keyOf(ada))
    expect(row).toMatchObject({ version: 2 })
    expect(row).not.toHaveProperty('holder')
  })

  it('is refused a commit that starts from another version, also an old one that arrives late', async () => {
    const { ada, container } = await newContainer()
    await container.start()
    const late = { base: 0, root: await storeList(container, []), bytes: 0, files: 0 }
    await ada.put('a', 'owner')
    const refused = { status: 409, body: { code: 'FILES_CHANGED', version: 1 } }
    const body = { generation: 1, ...late }
    expect(await calls.ask(container.key, 'commit', body)).toMatchObject(refused)
    expect(await ada.text('a')).toBe('owner')
  })

  it('stores more than the storage, and its owner is told once', async () => {
    const { ada, container } = await newContainer()
    await world.limitStorage(ada.id, 10)
    await container.start()
    world.mails.length = 0
    container.disk.set('large', 'x'.repeat(20))
    await container.sync()
    container.disk.set('larger', 'x'.repeat(20))
    await container.sync()
    expect(await ada.storage()).toMatchObject({ usedBytes: 40, quotaBytes: 10 })
    const mails = world.mails.filter(({ subject }) => subject.includes('storage'))
    expect(mails).toHaveLength(1)
    expect((await ada.put('b', 'x')).status).toBe(402)
    container.disk.clear()
    await container.sync()
    expect((await ada.put('b', 'x')).status).toBe(200)
  })

  it('stores at most twice the storage and 10 GB on a day', async () => {
    const { ada, container } = await newContainer()
    await world.limitStorage(ada.id, 0)
    await container.start()
    const most = 10 * 1024 ** 3
    const pack = 64 * 1024 ** 2
    await container.ask('packs', { packs: [{ bytes: pack }] })
    const key = storageRows.key({ userId: ada.id })
    await world.table.update(key, { set: { uploaded: most - pack } })
    await container.ask('packs', { packs: [{ bytes: pack }] })
    const body = { generation: 1, packs: [{ bytes: 1 }] }
    expect(await calls.ask(container.key, 'packs', body)).toMatchObject({
      status: 402,
      body: { code: 'STORAGE_LIMIT_REACHED', used: 0, quota: 0 },
    })
    await world.limitStorage(ada.id, pack)
    await world.table.update(key, { set: { uploaded: most + 2 * pack } })
    expect((await calls.ask(container.key, 'packs', body)).status).toBe(402)
    // The last files of a container may be stored nevertheless, up to the quota.
    const last = { generation: 1, packs: [{ bytes: pack }], release: true }
    expect((await calls.ask(container.key, 'packs', last)).status).toBe(200)
    expect((await calls.ask(container.key, 'packs', last)).status).toBe(402)
    await world.table.update(key, { set: { uploadDay: '2020-01-01' } })
    await container.ask('packs', { packs: [{ bytes: pack }] })
  })

  it('has at most 200,000 files', async () => {
    const { ada, container } = await newContainer()
    await container.start()
    const tree = await storeList(container, [])
    const top = { name: 'workspace', type: 'folder', mtime: 1, tree, bytes: 0 } as const
    const files = fileLimit + 1
    const root = await storeList(container, [{ ...top, files }])
    const body = { generation: 1, base: 0, root, bytes: 0, files }
    const refused = { status: 409, body: { code: 'FILE_LIMIT_REACHED', limit: fileLimit } }
    expect(await calls.ask(container.key, 'commit', body)).toMatchObject(refused)
    await world.table.update(fileRows.key(keyOf(ada)), { set: { files: files + 1 } })
    expect((await calls.ask(container.key, 'commit', body)).status).toBe(200)
  })

  it.each<[string, Entry[], { root?: Part; bytes?: number; files?: number; beyond?: number }]>([
    ['other bytes', [fileEntry({})], { bytes: 1 }],
    ['another number of files', [fileEntry({})], { files: 2 }],
    ['a file of another size than its parts', [fileEntry({ size: 5 })], { bytes: 5 }],
    ['a name with a slash', [fileEntry({ name: 'a/b' })], {}],
    ['a name of the folder above', [fileEntry({ name: '..' })], {}],
    ['a pack of another prefix', [fileEntry({ parts: [['../x', 0, 0]] })], {}],
    ['a pack that does not exist', [], { root: ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 0, 2] }],
    ['a list beyond its pack', [], { beyond: 9 }],
    ['a huge list', [], { root: ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 0, 2 ** 40] }],
  ])('is refused a root with %s', async (_, entries, { beyond = 0, ...claim }) => {
    const { container } = await newContainer()
    await container.start()
    const [pack, offset, length] = await storeList(container, entries)
    const root: Part = [pack, offset, length + beyond]
    const totals = { bytes: 0, files: entries.length }
    const body = { generation: 1, base: 0, root, ...totals, ...claim }
    expect(await calls.ask(container.key, 'commit', body)).toMatchObject({ status: 400 })
  })

  it.each([
    ['links', { packs: ['../other/01ARZ3NDEKTSV4RRFFQ69G5FAV'] }],
    ['links', { packs: [] }],
    ['links', { packs: Array.from({ length: 1001 }, () => '01ARZ3NDEKTSV4RRFFQ69G5FAV') }],
    ['packs', { packs: [{ bytes: 0 }] }],
    ['packs', { packs: [{ bytes: 64 * 1024 ** 2 + 1 }] }],
    ['packs', { packs: Array.from({ length: 101 }, () => ({ bytes: 1 })) }],
    ['commit', { base: -1, root: null, bytes: 0, files: 0 }],
    ['open', { generation: 0 }],
  ] as [ContainerVerb, object][])('is refused %s with %j', async (verb, body) => {
    const { container } = await newContainer()
    await container.start()
    expect((await calls.ask(container.key, verb, { generation: 1, ...body })).status).toBe(400)
  })

  it('gets links to packs of its own agent only', async () => {
    const { ada, container } = await newContainer()
    const { ada: other, container: theirs } = await newContainer()
    await other.put('secret', 'theirs')
    await Promise.all([container.start(), theirs.start()])
    const ids = await world.objects(other.agentId)
    const { links } = await container.ask('links', { packs: ids })
    for (const { url } of links as { url: string }[]) {
      expect(decodeURIComponent(new URL(url).pathname)).toContain(packKey(ada.agentId, ''))
      expect((await fetch(url)).status).toBe(404)
    }
  })
})

describe('a key', () => {
  it.each(bodies)('a key of a user, or no key, returns 401 at %s', async (verb, body) => {
    const given = { generation: 1, ...body }
    for (const key of ['', 'sk_wrong', `ak_${'0'.repeat(64)}.agt_1.usr_1`])
      expect((await calls.ask(key, verb, given)).status).toBe(401)
  })

  it.each(bodies)('is refused %s for another generation than its own', async (verb, body) => {
    const { container } = await newContainer(2)
    await container.start()
    const answer = await calls.ask(container.key, verb, { generation: 3, ...body })
    expect(answer).toMatchObject({ status: 409, body: { code: 'FILES_HELD' } })
  })

  it.each(bodies)(
    'a key of an earlier generation is refused %s after the next has opened',
    async (verb, body) => {
      const { ada, container } = await newContainer(1)
      await container.start()
      const { container: next } = await newContainer(2, ada)
      await next.start()
      const answer = await calls.ask(container.key, verb, { generation: 1, ...body })
      expect(answer).toMatchObject({ status: 409, body: { code: 'FILES_HELD' } })
      const { container: later } = await newContainer(3, ada)
      await later.start()
      expect((await calls.ask(container.key, verb, { generation: 1, ...body })).status).toBe(401)
    },
  )

  it('commits while its task ends, and no longer', async () => {
    const { ada, container } = await newContainer()
    await container.start()
    await container.set({ desired: 'stopped', status: 'stopped' })
    const row = agentRows.key({ userId: ada.id, agentId: ada.agentId })
    await world.table.update(row, { remove: ['aiKeyHash'] })
    container.disk.set('last', 'words')
    await container.sync()
    expect(await ada.text('last')).toBe('words')
    await container.sync(true)
    // It has released the files, and must not take them again.
    await expect(container.ask('open', {})).rejects.toMatchObject({ code: 'FILES_HELD' })
    await container.set({ taskStatus: 'STOPPED' })
    for (const [verb, body] of bodies)
      expect((await calls.ask(container.key, verb, { generation: 1, ...body })).status).toBe(401)
  })

  it.each(bodies)('a key of a deleted agent returns 401 at %s', async (verb, body) => {
    const { ada, container } = await newContainer()
    await container.start()
    await world.deleteAgent(ada.id, ada.agentId)
    expect((await calls.ask(container.key, verb, { generation: 1, ...body })).status).toBe(401)
  })
})
