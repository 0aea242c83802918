import { randomBytes } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { pinRows } from '#shared/agents/files/rows.ts'
import { storageRows } from '#shared/agents/storage/rows.ts'
import { exportObject } from '#shared/conversations/agent-archives/rows.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { agentJson, archiveOf, filesIn } from '#tests/support/conversations/archive-scenes.ts'
import { killedAfter } from '#tests/support/conversations/restore-scenes.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { type ZipEntry, zipOf } from '#tests/support/platform/zip.ts'

const { world, scenes, archives, files, ada } = await restoreWorld()
const { table } = world

const megabyte = 1_048_576
const agent: ZipEntry = { name: 'agent.json', content: agentJson() }

const useOf = async () => {
  const { taken = 0, reserved = 0 } = (await storageRows.find(table, { userId: ada.id })) ?? {}
  return { taken, reserved }
}

const pins = async (agentId: string) => {
  const { items } = await userStore(table, ada.id).query({
    beginsWith: pinRows.prefix({ agentId }),
  })
  return items.length
}

/** Uploads an archive by a link and imports it. */
async function importLarge(zip: Uint8Array) {
  const made = await scenes.call('POST', '/api/agents/imports', { size: zip.length })
  expect(made.status).toBe(200)
  const { importId, url, method, headers } = made.body as {
    importId: string
    url: string
    method: string
    headers: Record<string, string>
  }
  const sent = await fetch(url, { method, headers, body: new Uint8Array(zip) })
  expect(sent.status).toBe(200)
  const answer = await scenes.call('POST', '/api/agents/import', { importId })
  return { ...answer, importId, id: (answer.body.agent as { id: string } | undefined)?.id ?? '' }
}

/** Exports an agent whose archive is large. @returns the archive */
async function takeLarge(id: string): Promise<Uint8Array> {
  const asked = await scenes.call('GET', `/api/agents/${id}/export`)
  expect(asked.status).toBe(202)
  await world.export()
  const { body } = await scenes.call('GET', `/api/agents/${id}/exports/${asked.body.exportId}`)
  expect(body.state).toBe('done')
  return new Uint8Array(await (await fetch(String(body.url))).arrayBuffer())
}

it('an export contains the files of the workspace, and an import restores them', async () => {
  const id = await scenes.full()
  await files.put(id, 'notes/über.txt', 'one')
  await files.put(id, 'README.md', 'mine')
  await files.put(id, 'empty', '')
  const zip = await archives.take(id)
  const packed = await filesIn(zip)
  expect(packed['files/notes/über.txt']).toBe('one')
  expect(packed['files/README.md']).toBe('mine')
  expect(packed['README.md']).toContain('Bo')
  const other = await archives.bring(zip)
  expect(other.status).toBe(201)
  expect(await files.contentOf(other.id)).toEqual(await files.contentOf(id))
  expect(await filesIn(await archives.take(other.id))).toMatchObject({
    'files/notes/über.txt': 'one',
    'files/empty': '',
  })
  expect(await useOf()).toEqual({ taken: 14, reserved: 0 })
})

it('an archive of more than 4 MB is written by a job, and can be imported by a link', async () => {
  const id = await scenes.full()
  const parts = Object.fromEntries(
    ['a', 'b/c'].map((name) => [name, randomBytes(2_900_000).toString('base64')]),
  )
  for (const [name, text] of Object.entries(parts))
    await files.put(id, name, new Uint8Array(Buffer.from(text)))
  const zip = await takeLarge(id)
  expect(zip.length).toBeGreaterThan(5 * megabyte)
  expect(await pins(id)).toBe(0)
  const { status, id: other } = await importLarge(zip)
  expect(status).toBe(201)
  expect(await files.contentOf(other)).toEqual(parts)
  await world.work()
  expect((await useOf()).reserved).toBe(0)
})

it('an export is visible for its agent only, and is removed after an hour', async () => {
  const id = await scenes.newAgent()
  const other = await scenes.newAgent()
  await files.put(id, 'a', new Uint8Array(randomBytes(4 * megabyte)))
  await files.put(id, 'b', new Uint8Array(randomBytes(megabyte)))
  const { exportId } = (await scenes.call('GET', `/api/agents/${id}/export`)).body
  const get = (agentId: string, session = ada.session) =>
    scenes.call('GET', `/api/agents/${agentId}/exports/${exportId}`, undefined, session)
  expect((await get(id)).body).toEqual({
    state: 'queued',
    url: null,
    expiresAt: null,
    bytes: null,
  })
  expect((await get(other)).status).toBe(404)
  const eve = await world.newUser('eve@b.co')
  expect((await get(id, eve.session)).status).toBe(404)
  await world.export()
  expect((await get(id)).body).toEqual({
    state: 'done',
    url: expect.stringContaining('http'),
    expiresAt: expect.any(String),
    bytes: expect.any(Number),
  })
  const key = exportObject({ agentId: id, id: String(exportId) })
  expect(await world.packs.sizeOf(key)).toBeGreaterThan(5 * megabyte)
  const later = Date.now() + 3_700_000
  await world.tickArchives(later)
  await world.export(later)
  expect(await world.packs.sizeOf(key)).toBeUndefined()
  expect((await get(id)).status).toBe(404)
})

it('an export continues after a kill between any two writes, with the files of its request', async () => {
  const id = await scenes.newAgent()
  await files.put(id, 'a', new Uint8Array(randomBytes(4 * megabyte)))
  await files.put(id, 'b', new Uint8Array(randomBytes(megabyte)))
  const wanted = await files.contentOf(id)
  const { exportId } = (await scenes.call('GET', `/api/agents/${id}/export`)).body
  const message = world.sent.find(({ queue }) => queue === 'agent-exports')
  await files.put(id, 'a', 'later')
  let kills = 0
  for (let writes = 0, killed = true; killed; writes++) {
    const { table: dying, wasKilled } = killedAfter(table, writes)
    if (message !== undefined) world.sent.push(message)
    await world.export(undefined, { table: dying }).catch(() => undefined)
    killed = wasKilled()
    if (!killed) break
    kills += 1
    const sk = `export#${id}#${exportId}`
    await userStore(table, ada.id).update(sk, { remove: ['heldUntil'] })
  }
  expect(kills).toBeGreaterThan(2)
  const { body } = await scenes.call('GET', `/api/agents/${id}/exports/${exportId}`)
  const zip = new Uint8Array(await (await fetch(String(body.url))).arrayBuffer())
  const { id: other } = await importLarge(zip)
  const found = await files.contentOf(other)
  expect([found['a'] === wanted['a'], found['b'] === wanted['b']]).toEqual([true, true])
  expect(await pins(id)).toBe(0)
})

it('an import by a link needs its upload, and works once', async () => {
  const { importId } = (await scenes.call('POST', '/api/agents/imports', { size: 100 })).body
  const bring = (body: object, session = ada.session) =>
    scenes.call('POST', '/api/agents/import', body, session)
  expect((await bring({ importId })).status).toBe(409)
  expect((await bring({ importId: 'imp_0' })).status).toBe(404)
  expect((await bring({})).status).toBe(400)
  const eve = await world.newUser('eve2@b.co')
  expect((await bring({ importId }, eve.session)).status).toBe(404)
  const made = await importLarge(archiveOf({ 'files/a': 'one' }))
  expect(made.status).toBe(201)
  expect((await bring({ importId: made.importId })).status).toBe(409)
  for (const size of [0, -1, 1.5, '7', 6 * 1024 ** 3])
    expect((await scenes.call('POST', '/api/agents/imports', { size })).status).toBe(400)
  await world.tickArchives(Date.now() + 3 * 3_600_000)
  expect((await bring({ importId: made.importId })).status).toBe(404)
})

it('a large import is unpacked by the job, after a kill between any two writes', async () => {
  const zeros = '\0'.repeat(33 * megabyte)
  const { status, id } = await importLarge(archiveOf({ 'files/zeros': zeros, 'files/a/b': 'x' }))
  expect(status).toBe(201)
  expect((await scenes.agentOf(id)).status).toBe('provisioning')
  const message = world.sent.find(({ queue }) => queue === 'restore-points')
  world.fleet.forget()
  let kills = 0
  for (let writes = 0, killed = true; killed; writes++) {
    const { table: dying, wasKilled } = killedAfter(table, writes)
    await world.job(message?.body, { table: dying }).catch(() => undefined)
    killed = wasKilled()
    if (!killed) break
    kills += 1
    await userStore(table, ada.id).update(`restore#${id}`, { remove: ['heldUntil'] })
  }
  expect(kills).toBeGreaterThan(2)
  const [listed] = (await scenes.call('GET', `/api/agents/${id}/files?path=a`)).body.entries as {
    path: string
  }[]
  expect(listed?.path).toBe('a/b')
  expect(await useOf()).toEqual({ taken: 33 * megabyte + 1, reserved: 0 })
  expect(world.sent.map(({ body }) => body.kind)).toContain('start')
  expect((await scenes.agentOf(id)).retryAt).toBeUndefined()
})

const file = (over: Partial<ZipEntry> = {}): ZipEntry => ({
  name: 'files/a',
  content: 'x',
  ...over,
})

it.each<[name: string, entries: ZipEntry[], reason: RegExp]>([
  ['a path with ..', [file({ name: 'files/../a' })], /path/],
  ['a path with an empty name', [file({ name: 'files//a' })], /empty segment/],
  ['a name of more than 255 bytes', [file({ name: `files/${'x'.repeat(256)}` })], /255/],
  ['a link', [file({ mode: 0o120777 })], /neither a file/],
  ['a file twice', [file(), file()], /twice/],
  ['a file and a folder with one name', [file(), file({ name: 'files/a/b' })], /same path/],
  ['an encrypted file', [file({ flags: 0x0801 })], /encrypted/],
  ['a file that is larger than declared', [file({ content: 'xyz', size: 1 })], /not a ZIP/],
  ['a file that is smaller than declared', [file({ size: 100 })], /not a ZIP/],
  ['a wrong checksum', [file({ crc: 1 })], /damaged/],
  ['a folder with content', [file({ name: 'files/a/' })], /folder/],
  [
    'files with the same bytes',
    [
      file({ content: 'x'.repeat(1000) }),
      file({ name: 'files/b', content: 'x'.repeat(1000), shared: true }),
    ],
    /bytes of another/,
  ],
])('an archive with %s is refused without effect', async (_, entries, reason) => {
  const before = await archives.left()
  const zip = zipOf([agent, ...entries])
  const direct = await archives.bring(zip)
  expect([direct.status, direct.body.error]).toEqual([400, expect.stringMatching(reason)])
  const large = await importLarge(zip)
  expect([large.status, large.body.error]).toEqual([400, expect.stringMatching(reason)])
  expect(await archives.left()).toEqual(before)
  expect(await useOf()).toEqual({ taken: 0, reserved: 0 })
})

it('an import that does not fit into the storage is 402 before anything is unpacked', async () => {
  await files.limitStorage(ada.id, megabyte)
  const before = await archives.left()
  const bomb = archiveOf({ 'files/zeros': '\0'.repeat(2 * megabyte) })
  for (const { status, body } of [await archives.bring(bomb), await importLarge(bomb)])
    expect([status, body.code, body.quota]).toEqual([402, 'STORAGE_LIMIT_REACHED', megabyte])
  expect(await archives.left()).toEqual(before)
})

it('a duplicate has the files of the workspace, and is 402 if they do not fit', async () => {
  const id = await scenes.full()
  for (let i = 0; i < 4; i++) await files.put(id, `folder/${i}`, String(i).repeat(10))
  const { status, id: twin } = await archives.copy(id)
  expect(status).toBe(201)
  expect(await files.contentOf(twin)).toEqual(await files.contentOf(id))
  expect(await useOf()).toEqual({ taken: 80, reserved: 0 })
  expect(await pins(id)).toBe(0)
  await files.put(id, 'folder/0', 'changed')
  expect((await files.contentOf(twin))['folder/0']).toBe('0'.repeat(10))
  await files.limitStorage(ada.id, 100)
  const refused = await archives.copy(id)
  expect([refused.status, refused.body.code]).toEqual([402, 'STORAGE_LIMIT_REACHED'])
})

it('a large duplicate is completed by the job, after a kill between any two writes', async () => {
  const id = await scenes.newAgent()
  for (let i = 0; i < 20; i++) await files.put(id, `folder/${i}`, `content ${i}`)
  const wanted = await files.contentOf(id)
  const { put } = world.packs
  const slow = vi.spyOn(world.packs, 'put').mockImplementation(async (...args) => {
    await put(...args)
    // Longer than a request copies.
    vi.setSystemTime(Date.now() + 1000)
  })
  vi.useFakeTimers({ toFake: ['Date'] })
  const { status, id: twin } = await archives.copy(id)
  slow.mockRestore()
  vi.useRealTimers()
  expect([status, (await scenes.agentOf(twin)).status]).toEqual([201, 'provisioning'])
  expect(await files.contentOf(twin)).toEqual({})
  // Changes of the original after the request are not part of the copy.
  await files.put(id, 'folder/0', 'changed')
  const message = world.sent.find(({ queue }) => queue === 'restore-points')
  world.fleet.forget()
  let kills = 0
  for (let writes = 0, killed = true; killed; writes++) {
    const { table: dying, wasKilled } = killedAfter(table, writes)
    await userStore(table, ada.id).update(`restore#${twin}`, { remove: ['heldUntil'] })
    await world.job(message?.body, { table: dying }).catch(() => undefined)
    killed = wasKilled()
    if (killed) kills += 1
  }
  expect(kills).toBeGreaterThan(2)
  expect(await files.contentOf(twin)).toEqual(wanted)
  expect((await useOf()).reserved).toBe(0)
  expect(await pins(id)).toBe(0)
  expect(world.sent.map(({ body }) => body.kind)).toContain('start')
})
