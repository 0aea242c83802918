import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { useStore } from './testing/use.ts'

const on = useStore()

/** Stores a disk with some files in several packs. */
async function stored(count = 4): Promise<void> {
  const disk = await on.disk()
  for (let i = 0; i < count; i++)
    await writeFile(join(disk, `file ${i}`), Buffer.alloc(3_000_000, String(i)))
  const files = await on.open(disk)
  await files.sync()
  await files.close()
}

test('links that expire during a restore are requested again', async () => {
  await stored(12)
  let reads = 0
  on.store.fault = (path, method) => {
    const isExpired = path.startsWith('/objects') && method === 'GET' && ++reads % 5 === 0
    return isExpired ? { status: 403 } : undefined
  }
  on.store.linkMs = 100
  const disk = await on.disk()
  on.store.asked.length = 0
  await on.open(disk)
  expect((await readdir(disk)).filter((name) => name.startsWith('file'))).toHaveLength(12)
  expect((await readFile(join(disk, 'file 7'), 'utf8')).replaceAll('7', '')).toBe('')
  expect(on.store.asked.filter((path) => path.endsWith('/links')).length).toBeGreaterThan(1)
})

test('links that expire before a pack is stored are requested again', async () => {
  let stores = 0
  on.store.fault = (path, method) => {
    const isExpired = path.startsWith('/objects') && method === 'PUT' && ++stores === 1
    return isExpired ? { status: 403 } : undefined
  }
  await stored()
  expect(on.store.row.files).toBe(4)
  expect(Object.values(on.store.texts()).every(({ length }) => length === 3_000_000)).toBe(true)
})

test('requests whose responses are lost or that fail for a while are repeated', async () => {
  let count = 0
  on.store.fault = () => {
    const step = ++count % 4
    if (step === 1) return 'lost'
    if (step === 2) return { status: 503 }
    return step === 3 ? { status: 429, body: {} } : undefined
  }
  const disk = await on.disk()
  await writeFile(join(disk, 'a'), 'text')
  const files = await on.open(disk)
  // Each of the requests fails three times.
  expect(await files.sync()).toBe(1)
  expect(on.store.texts()).toEqual({ a: 'text' })
})

test('a commit whose response is lost counts once', async () => {
  const disk = await on.disk()
  await writeFile(join(disk, 'a'), 'text')
  const files = await on.open(disk)
  let lost = 0
  on.store.fault = (path) => (path.endsWith('/commit') && lost++ === 0 ? 'lost' : undefined)
  expect(await files.sync()).toBe(1)
  expect(lost).toBe(2)
  expect(on.store.row.version).toBe(1)
})

test('a start after a kill between storing and committing keeps what the disk has', async () => {
  const disk = await on.disk()
  await writeFile(join(disk, 'a'), 'one')
  const files = await on.open(disk)
  await files.sync()
  await writeFile(join(disk, 'a'), 'two')
  await writeFile(join(disk, 'b'), 'new')
  on.store.fault = (path) =>
    path.endsWith('/commit') ? { status: 400, body: { error: 'killed' } } : undefined
  await expect(files.sync()).rejects.toThrow('killed')
  on.store.fault = () => undefined
  const later = await on.open(disk)
  expect(await readFile(join(disk, 'a'), 'utf8')).toBe('two')
  await later.sync()
  expect(on.store.texts()).toEqual({ a: 'two', b: 'new' })
  // The commit of the same content did not store it again.
  const contents = [...on.store.objects.values()].filter((bytes) => bytes.includes('two'))
  expect(contents.length).toBeLessThanOrEqual(2)
})

test('a start after a kill between a commit and its response knows that it was made', async () => {
  const disk = await on.disk()
  await writeFile(join(disk, 'a'), 'one')
  const files = await on.open(disk)
  on.store.fault = (path) => (path.endsWith('/commit') ? 'lost' : undefined)
  await expect(files.sync()).rejects.toThrow('fetch failed')
  expect(on.store.row.version).toBe(1)
  await writeFile(join(disk, 'a'), 'newer than the commit')
  on.store.fault = () => undefined
  const later = await on.open(disk)
  expect(await readFile(join(disk, 'a'), 'utf8')).toBe('newer than the commit')
  await later.sync()
  expect(on.store.texts()).toEqual({ a: 'newer than the commit' })
}, 120_000)

test('an earlier container stores nothing once a later one has the files', async () => {
  const first = await on.disk()
  await writeFile(join(first, 'a'), 'one')
  const earlier = await on.open(first)
  await earlier.sync()
  const second = await on.disk()
  const later = await on.open(second)
  await writeFile(join(first, 'a'), 'too late')
  await expect(earlier.sync()).rejects.toMatchObject({ code: 'FILES_HELD' })
  await expect(earlier.sync()).rejects.toMatchObject({ code: 'FILES_HELD' })
  expect(on.held).toBe(1)
  await earlier.close()
  await writeFile(join(second, 'b'), 'two')
  await later.sync()
  expect(on.store.texts()).toEqual({ a: 'one', b: 'two' })
  await expect(on.open(first, { generation: 1 })).rejects.toMatchObject({ code: 'FILES_HELD' })
})

test('content that was stored for a failed commit is not stored again', async () => {
  const disk = await on.disk()
  await writeFile(join(disk, 'a'), Buffer.alloc(1_000_000, 'a'))
  const files = await on.open(disk)
  on.store.fault = (path) => (path.endsWith('/commit') ? { status: 400 } : undefined)
  await expect(files.sync()).rejects.toThrow('responded with 400')
  on.store.fault = () => undefined
  await files.sync()
  const large = [...on.store.objects.values()].filter(({ length }) => length > 900_000)
  expect(large).toHaveLength(1)
})

test('a full storage is one log line, and the next scan tries again', async () => {
  const disk = await on.disk()
  await writeFile(join(disk, 'a'), 'text')
  const files = await on.open(disk)
  on.store.fault = (path) =>
    path.endsWith('/packs')
      ? { status: 402, body: { error: 'The storage is full', code: 'STORAGE_LIMIT_REACHED' } }
      : undefined
  for (let i = 0; i < 3; i++) await expect(files.sync()).rejects.toThrow('The storage is full')
  expect(on.lines).toEqual([
    'Files: cannot be stored, the next scan tries again: ' +
      'the platform responded with 402 STORAGE_LIMIT_REACHED The storage is full',
  ])
  on.store.fault = () => undefined
  await files.sync()
  expect(on.store.texts()).toEqual({ a: 'text' })
})

test('the last files are stored over the uploads of a day, and a log line names the reason otherwise', async () => {
  const disk = await on.disk()
  await writeFile(join(disk, 'a'), 'text')
  const files = await on.open(disk)
  const refusal = {
    status: 402,
    body: { error: 'too many bytes today', code: 'STORAGE_LIMIT_REACHED' },
  }
  on.store.fault = (path) => (path.endsWith('/packs') ? refusal : undefined)
  await expect(files.sync()).rejects.toThrow('today')
  await files.close()
  expect(on.lines).toHaveLength(2)
  expect(on.lines[1]).toMatch(/^Files: cannot be stored: .* too many bytes today$/)
  on.store.fault = () => undefined
  const later = await on.open(disk)
  await later.close()
  expect(on.store.texts()).toEqual({ a: 'text' })
  expect(on.store.releasedPacks).toBeGreaterThan(0)
})

test('a long scan commits in steps', async () => {
  const disk = await on.disk()
  for (const name of ['a', 'b', 'c']) await writeFile(join(disk, name), name)
  // A scan reads what it can in no time at all: one file.
  const files = await on.open(disk, { readingMs: 0 })
  await files.close()
  expect(on.store.texts()).toEqual({ a: 'a', b: 'b', c: 'c' })
  expect(on.store.row.version).toBeGreaterThan(1)
  expect(on.store.row.holder).toBeUndefined()
})

test('content of failed commits is stored again before the platform removes it', async () => {
  const disk = await on.disk()
  const files = await on.open(disk)
  await writeFile(join(disk, 'a'), 'text')
  const start = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  try {
    const storedAt = new Map<string, number>()
    on.store.fault = (path) => (path.endsWith('/commit') ? { status: 400 } : undefined)
    for (let minutes = 0; minutes <= 90; minutes += 10) {
      vi.setSystemTime(start + minutes * 60_000)
      await expect(files.sync()).rejects.toThrow('400')
      for (const id of on.store.objects.keys()) if (!storedAt.has(id)) storedAt.set(id, Date.now())
    }
    for (const [id, at] of storedAt) if (at <= Date.now() - 3_600_000) on.store.objects.delete(id)
    on.store.fault = () => undefined
    await files.sync()
    expect(on.store.texts()).toEqual({ a: 'text' })
  } finally {
    vi.useRealTimers()
  }
})
