import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type FilesOwner, type FilesWorld, startFiles } from '#tests/support/agents/files.ts'

let world: FilesWorld
let ada: FilesOwner

beforeAll(async () => {
  world = await startFiles()
})
beforeEach(async () => {
  ada = await world.newOwner()
})
afterAll(() => world.close())

const names = (body: Record<string, unknown>) =>
  (body.entries as { name: string }[]).map(({ name }) => name)

describe('a list', () => {
  it('has files and folders by name, with sizes of files only', async () => {
    for (const path of ['b', 'B', 'a/deep/file', 'ä', 'a b']) await ada.put(path, 'text')
    const { status, body } = await ada.list()
    expect(status).toBe(200)
    const modified = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(body).toEqual({
      entries: [
        { name: 'B', path: 'B', type: 'file', size: 4, modified },
        { name: 'a', path: 'a', type: 'folder', size: null, modified },
        { name: 'a b', path: 'a b', type: 'file', size: 4, modified },
        { name: 'b', path: 'b', type: 'file', size: 4, modified },
        { name: 'ä', path: 'ä', type: 'file', size: 4, modified },
      ],
      cursor: null,
    })
    const below = await ada.list({ path: 'a/deep' })
    expect(below.body.entries).toMatchObject([{ name: 'file', path: 'a/deep/file' }])
  })

  it('the list of an agent without files is empty; for any other missing folder, or for a file, it returns 404', async () => {
    expect(await ada.list()).toMatchObject({ status: 200, body: { entries: [], cursor: null } })
    expect((await ada.list({ path: 'missing' })).status).toBe(404)
    await ada.put('file', 'x')
    expect((await ada.list({ path: 'file' })).status).toBe(404)
    expect((await ada.list({ path: 'file/x' })).status).toBe(404)
  })

  it('comes in pages that do not depend on changes in between', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await ada.put(name, 'x')
    const first = await ada.list({ limit: '2' })
    expect(names(first.body)).toEqual(['a', 'b'])
    await ada.delete('b')
    await ada.put('aa', 'x')
    const second = await ada.list({ limit: '2', cursor: String(first.body.cursor) })
    expect(names(second.body)).toEqual(['c', 'd'])
    const third = await ada.list({ limit: '2', cursor: String(second.body.cursor) })
    expect(third.body).toMatchObject({ entries: [{ name: 'e' }], cursor: null })
  })

  it.each([
    { limit: '0' },
    { limit: '-1' },
    { limit: 'x' },
    { cursor: '' },
    { cursor: '!' },
    { cursor: '_w' },
    { cursor: 'YS9i' },
  ])('%j is 400', async (query) =>
    expect((await ada.list(query as Record<string, string>)).status).toBe(400),
  )

  it('has at most 1,000 entries', async () => {
    expect((await ada.list({ limit: '999999' })).status).toBe(200)
  })
})

describe('DELETE', () => {
  it('removes a file, and then it is 404', async () => {
    await ada.put('a/file', 'x')
    expect((await ada.delete('a/file')).body).toEqual({ path: 'a/file', deleted: true })
    expect((await ada.delete('a/file')).status).toBe(404)
    expect((await ada.delete('b/file')).status).toBe(404)
    // The folder stays.
    expect((await ada.list({ path: 'a' })).body.entries).toEqual([])
  })

  it('removes a folder only with recursive=true', async () => {
    await ada.put('a/b/file', 'x')
    expect((await ada.delete('a')).status).toBe(409)
    expect((await ada.delete('a', '&recursive=false')).status).toBe(409)
    expect((await ada.delete('a', '&recursive=yes')).status).toBe(400)
    expect(await ada.text('a/b/file')).toBe('x')
    expect((await ada.delete('a', '&recursive=true')).status).toBe(200)
    expect((await ada.list()).body.entries).toEqual([])
  })
})

describe('move', () => {
  it('renames a file and a folder, and creates the folders on the way', async () => {
    await ada.put('a/b/file', 'x')
    expect(await ada.move('a/b', 'c/d/e')).toMatchObject({
      status: 200,
      body: { from: 'a/b', to: 'c/d/e' },
    })
    expect(await ada.text('c/d/e/file')).toBe('x')
    expect((await ada.get('a/b/file')).status).toBe(404)
    await ada.move('c/d/e/file', 'renamed')
    expect(await ada.text('renamed')).toBe('x')
  })

  it('onto something is 409 without overwrite, and replaces it with overwrite', async () => {
    await ada.put('a', 'one')
    await ada.put('b', 'two')
    await ada.put('folder/x', 'x')
    expect((await ada.move('a', 'b')).status).toBe(409)
    expect((await ada.move('a', 'folder')).status).toBe(409)
    expect((await ada.move('a', 'b', true)).status).toBe(200)
    expect(await ada.text('b')).toBe('one')
    expect((await ada.move('b', 'folder', true)).status).toBe(200)
    expect(await ada.text('folder')).toBe('one')
    expect((await ada.storage()).usedBytes).toBe(3)
  })

  it('a move of a missing entry returns 404, into itself 400, through a file 409', async () => {
    await ada.put('a/file', 'x')
    expect((await ada.move('nothing', 'b')).status).toBe(404)
    expect((await ada.move('a', 'a')).status).toBe(400)
    expect((await ada.move('a', 'a/b/c')).status).toBe(400)
    expect((await ada.move('a/file', 'a/file/b')).status).toBe(400)
    await ada.put('other', 'x')
    expect((await ada.move('a', 'other/b')).status).toBe(409)
    // A folder is not replaced by a part of itself, which would lose the rest.
    expect((await ada.move('a/file', 'a', true)).status).toBe(409)
    expect(await ada.text('a/file')).toBe('x')
  })

  it('a move to a name that begins alike is not a move into itself', async () => {
    await ada.put('ab', 'x')
    expect((await ada.move('ab', 'abc')).status).toBe(200)
    await ada.put('a/x', 'x')
    expect((await ada.move('a', 'abcd')).status).toBe(200)
  })

  it('a move that several callers request at once happens once', async () => {
    await ada.put('a', 'x')
    const moves = await Promise.all([1, 2, 3, 4].map((i) => ada.move('a', `to-${i}`)))
    const statuses = moves.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 404, 404, 404])
    expect((await ada.list()).body.entries).toHaveLength(1)
  })
})
