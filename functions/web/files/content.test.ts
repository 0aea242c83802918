import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directBytes } from '#shared/agents/files/read.ts'
import { type FilesOwner, type FilesWorld, startFiles } from '#tests/support/agents/files.ts'

let world: FilesWorld
let ada: FilesOwner

beforeAll(async () => {
  world = await startFiles()
  ada = await world.newOwner()
})
afterAll(() => world.close())

describe('PUT and GET of a file', () => {
  it('return the same bytes, with the folders on the way', async () => {
    const bytes = new Uint8Array(randomBytes(100_000))
    const written = await ada.put('notes/2026/über.bin', bytes)
    expect(written.status).toBe(200)
    expect(written.body).toEqual({
      path: 'notes/2026/über.bin',
      size: 100_000,
      modified: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const answer = await ada.get('notes/2026/über.bin')
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('etag')).toBe(written.headers.get('etag'))
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  })

  it('keep an empty file, and exactly 4 MiB but no byte more', async () => {
    expect((await ada.put('empty', '')).body).toMatchObject({ size: 0 })
    expect(await ada.text('empty')).toBe('')
    const large = new Uint8Array(directBytes).fill(7)
    expect((await ada.put('large', large)).status).toBe(200)
    expect((await (await ada.get('large')).arrayBuffer()).byteLength).toBe(directBytes)
    const larger = new Uint8Array(directBytes + 1)
    expect((await ada.put('larger', larger)).status).toBe(413)
    expect((await ada.get('larger')).status).toBe(404)
  })

  it('replace a file, whose ETag changes with its content only', async () => {
    const tags = []
    for (const text of ['one', 'two', 'one'])
      tags.push((await ada.put('replaced', text)).headers.get('etag'))
    expect(tags[0]).toBe(tags[2])
    expect(tags[0]).not.toBe(tags[1])
    expect(await ada.text('replaced')).toBe('one')
  })

  it('refuse a folder, and a path through a file', async () => {
    await ada.put('a-file', 'x')
    await ada.put('a-folder/x', 'x')
    expect((await ada.put('a-folder', 'x')).status).toBe(409)
    expect((await ada.put('a-file/below', 'x')).status).toBe(409)
    expect((await ada.put('a-file/below/that', 'x')).status).toBe(409)
    expect((await ada.get('a-folder')).status).toBe(404)
    expect((await ada.get('a-file/below')).status).toBe(404)
    expect((await ada.get('nothing')).status).toBe(404)
  })

  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
    ['bytes=0-1,3-4', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
  ])('Range: %s', async (range, status, text, contentRange) => {
    await ada.put('ranged', '0123456789')
    const answer = await ada.get('ranged', { range })
    expect(answer.status).toBe(status)
    expect(await answer.text()).toBe(text)
    expect(answer.headers.get('content-range')).toBe(contentRange)
  })

  it('answer 416 for a range after the end', async () => {
    await ada.put('ranged', '0123456789')
    const answer = await ada.get('ranged', { range: 'bytes=10-' })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10'])
  })

  it('answer 304 to the current ETag, and the file to another If-Range', async () => {
    const etag = (await ada.put('cached', 'text')).headers.get('etag') ?? ''
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
      expect((await ada.get('cached', { 'if-none-match': header })).status).toBe(304)
    expect((await ada.get('cached', { 'if-none-match': '"x"' })).status).toBe(200)
    expect((await ada.get('cached', { 'if-match': etag })).status).toBe(200)
    expect((await ada.get('cached', { 'if-match': '"x"' })).status).toBe(412)
    const range = 'bytes=0-0'
    expect((await ada.get('cached', { range, 'if-range': etag })).status).toBe(206)
    expect((await ada.get('cached', { range, 'if-range': '"x"' })).status).toBe(200)
  })
})

describe('conditions', () => {
  it('If-None-Match: * only creates', async () => {
    const only = { 'if-none-match': '*' }
    expect((await ada.put('created', 'one', only)).status).toBe(200)
    expect((await ada.put('created', 'two', only)).status).toBe(412)
    expect(await ada.text('created')).toBe('one')
  })

  it('If-Match changes and deletes only the known version', async () => {
    const etag = (await ada.put('matched', 'one')).headers.get('etag') ?? ''
    expect((await ada.put('matched', 'two', { 'if-match': '"x"' })).status).toBe(412)
    expect((await ada.put('matched', 'two', { 'if-match': `W/${etag}` })).status).toBe(412)
    expect((await ada.put('matched', 'two', { 'if-match': `"x", ${etag}` })).status).toBe(200)
    expect((await ada.delete('matched', '', { 'if-match': etag })).status).toBe(412)
    expect((await ada.delete('matched', '', { 'if-match': '*' })).status).toBe(200)
    expect((await ada.put('matched', 'three', { 'if-match': '*' })).status).toBe(412)
  })

  it('let exactly one of two writers with the same If-Match succeed', async () => {
    const etag = (await ada.put('raced', 'zero')).headers.get('etag') ?? ''
    const writers = Array.from({ length: 6 }, (_, i) =>
      ada.put('raced', `writer ${i}`, { 'if-match': etag }),
    )
    const statuses = (await Promise.all(writers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 412)).toHaveLength(5)
    expect(await ada.text('raced')).toBe(`writer ${statuses.indexOf(200)}`)
  })

  it('keep all files of writers of different files', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `parallel/${i}`)
    const written = await Promise.all(names.map((name) => ada.put(name, name)))
    expect(written.map(({ status }) => status)).toEqual(names.map(() => 200))
    for (const name of names) expect(await ada.text(name)).toBe(name)
  })
})

describe('a path', () => {
  const deep = 'x/'.repeat(2047)

  it.each([
    '',
    '/',
    '/etc/passwd',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    './a',
    'a\0b',
    'x'.repeat(256),
    '€'.repeat(86),
    `${deep}xyz`,
  ])('%j is 400 for every route', async (path) => {
    const statuses = [
      (await ada.put(path, 'x')).status,
      (await ada.get(path)).status,
      (await ada.delete(path)).status,
      (await ada.move(path, 'to')).status,
      (await ada.move('from', path)).status,
      (await ada.upload(path, 1)).status,
      path === '' ? 400 : (await ada.list({ path })).status,
    ]
    expect(statuses).toEqual(statuses.map(() => 400))
  })

  it.each([
    '...',
    'a\\..\\b',
    'C:',
    '%2e%2e',
    '\u202E',
    'a\nb',
    'x'.repeat(255),
    'e\u0301',
    '\u00E9',
    '__proto__',
    'constructor',
  ])('%j is a file like any other', async (path) => {
    expect((await ada.put(path, `in ${path}`)).body).toMatchObject({ path })
    expect(await ada.text(path)).toBe(`in ${path}`)
    const listed = (await ada.list()).body.entries as { name: string }[]
    expect(listed.filter(({ name }) => name === path)).toHaveLength(1)
  })

  it('may have 4,096 bytes and 2,048 folders', async () => {
    expect((await ada.put(`${deep}xy`, 'deep')).status).toBe(200)
    expect(await ada.text(`${deep}xy`)).toBe('deep')
    expect((await ada.delete('x', '&recursive=true')).status).toBe(200)
    expect((await ada.get(`${deep}xy`)).status).toBe(404)
  })

  it('is required, and half a surrogate pair in JSON is 400', async () => {
    const missing = await world.call('GET', `${ada.base}/content`, { session: ada.session })
    expect(missing.status).toBe(400)
    expect((await ada.move('\uD800', 'x')).status).toBe(400)
  })
})

describe('another user', () => {
  it('gets 404 for everything, and nothing changes', async () => {
    const eve = await world.newOwner()
    await ada.put('private', 'secret')
    const as = { session: eve.session }
    const octets = { 'content-type': 'application/octet-stream' }
    const bytes = new TextEncoder().encode('x')
    const calls = [
      ['GET', ada.base, as],
      ['GET', ada.content('private'), as],
      ['PUT', ada.content('private'), { ...as, bytes, headers: octets }],
      ['DELETE', ada.content('private'), as],
      ['POST', `${ada.base}/move`, { ...as, body: { from: 'private', to: 'x' } }],
      ['POST', `${ada.base}/uploads`, { ...as, body: { path: 'x', size: 1 } }],
    ] as const
    for (const [method, path, options] of calls) {
      expect((await world.call(method, path, options)).status).toBe(404)
      const anonymous = await world.call(method, path, { ...options, session: 'no.one' })
      expect(anonymous.status).toBe(401)
    }
    expect(await ada.text('private')).toBe('secret')
    expect(await eve.storage()).toMatchObject({ usedBytes: 0, agents: [], measuredAt: null })
  })
})
