import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chunks } from '#shared/platform/chunks.ts'
import { s3Links, s3UploadLinks } from '#shared/platform/objects/links.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import type { ListedObject, PartialObjects } from '#shared/platform/objects/port.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { closeServer, listen } from '../server/listen.ts'
import { bucket } from './files.ts'
import { objectPages } from './links.ts'
import { type Objects, startObjects } from './server.ts'

let dir: string
let engine: Objects
let objects: PartialObjects
let webUrl: string
const created: unknown[] = []
const key = 'a-key-of-this-test'
let pages: ReturnType<typeof objectPages>
const surface = createServer((request, response) => {
  void pages.serve(request, response, new URL(request.url ?? '/', 'http://surface'))
})

beforeAll(async () => {
  useLocalCredentials()
  dir = await mkdtemp(join(tmpdir(), 'partial-'))
  engine = await startObjects({ dir })
  objects = s3PartialObjects({ S3_ENDPOINT: engine.endpoint, OBJECTS_BUCKET: bucket })
  webUrl = `http://localhost:${await listen(surface, 0)}`
  pages = objectPages({ dir, key, webUrl, onCreated: async (one) => void created.push(one) })
})
afterAll(async () => {
  await closeServer(surface, 0)
  await engine.close()
  await rm(dir, { recursive: true })
})

const settings = () => ({ OBJECT_LINKS_KEY: key, OBJECTS_BUCKET: bucket, WEB_URL: webUrl })
async function all(prefix: string): Promise<ListedObject[]> {
  const listed: ListedObject[] = []
  for await (const one of objects.list(prefix)) listed.push(one)
  return listed
}

const textOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()

it('reads a part of an object, its size, and reports a missing one', async () => {
  await objects.put('files/one', Buffer.from('0123456789'))
  expect(textOf(await objects.getPart({ key: 'files/one', offset: 2, length: 3 }))).toBe('234')
  expect(textOf(await objects.getPart({ key: 'files/one', offset: 2, length: 0 }))).toBe('')
  expect(await objects.sizeOf('files/one')).toBe(10)
  expect(await objects.getPart({ key: 'files/no', offset: 0, length: 1 })).toBeUndefined()
  expect(await objects.sizeOf('files/no')).toBeUndefined()
})

it('lists exactly the objects with a prefix, over several pages', async () => {
  const keys = Array.from({ length: 1005 }, (_, i) => `files/many/${String(i).padStart(4, '0')}`)
  for (const some of chunks(keys, 50))
    await Promise.all(some.map((one) => objects.put(one, Buffer.from('x'))))
  await objects.put('files/manyother', Buffer.from('x'))
  const listed = await all('files/many/')
  expect(listed.map((one) => one.key)).toEqual(keys)
  expect(listed[0]).toEqual({ key: keys[0], bytes: 1, modifiedAt: expect.any(Number) })
  expect(await all('files/none/')).toEqual([])
})

it('composes parts of several objects, and a small last part', async () => {
  const mebibyte = 1024 * 1024
  const large = Buffer.alloc(12 * mebibyte, 'ab')
  await objects.put('files/large', large)
  await objects.put('files/small', Buffer.from('the end'))
  await objects.compose('files/composed', [
    { key: 'files/large', offset: 6 * mebibyte, length: 3 * mebibyte },
    { key: 'files/large', offset: 9 * mebibyte, length: 3 * mebibyte },
    { key: 'files/large', offset: 1, length: 6 * mebibyte },
    { key: 'files/small', offset: 4, length: 3 },
  ])
  const composed = await objects.get('files/composed')
  const half = large.subarray(6 * mebibyte)
  const right = Buffer.concat([half, large.subarray(1, 6 * mebibyte + 1), Buffer.from('end')])
  expect(right.equals(composed ?? Buffer.from(''))).toBe(true)
  const missing = [{ key: 'files/no', offset: 0, length: 9 * mebibyte }]
  await expect(objects.compose('files/broken', missing)).rejects.toThrow('NoSuchKey')
  expect(await objects.sizeOf('files/broken')).toBeUndefined()
})

it('stores an object by a link once, with exactly the signed size', async () => {
  const { url, headers } = await s3UploadLinks(settings()).forUpload('files/up', {
    seconds: 60,
    bytes: 5,
  })
  const put = (body: string, more: Record<string, string> = headers, address = url) =>
    fetch(address, { method: 'PUT', headers: more, body })
  expect((await put('123456')).status).toBe(403)
  expect((await put('1234')).status).toBe(403)
  expect((await put('12345', {})).status).toBe(403)
  expect((await put('12345', headers, url.replace('files/up', 'files/other'))).status).toBe(403)
  expect(await objects.sizeOf('files/up')).toBeUndefined()
  expect((await put('12345')).status).toBe(200)
  expect((await put('67890')).status).toBe(412)
  expect(textOf(await objects.get('files/up'))).toBe('12345')
  expect(created).toEqual([{ key: 'files/up', bytes: 5, tag: expect.stringMatching(/^"\w{32}"$/) }])
  // A link to download allows no upload, and the other way round.
  expect((await fetch(url)).status).toBe(403)
  const link = await s3Links(settings()).to('files/up', {
    seconds: 60,
    fileName: 'Übersicht (1)’s.txt',
    contentType: 'application/octet-stream',
  })
  const answer = await fetch(link)
  expect(await answer.text()).toBe('12345')
  expect(answer.headers.get('content-disposition')).toBe(
    "attachment; filename*=UTF-8''%C3%9Cbersicht%20%281%29%E2%80%99s.txt",
  )
  expect((await put('12345', headers, link)).status).toBe(403)
})

it('refuses an upload by a link that has expired', async () => {
  const { url, headers } = await s3UploadLinks(settings()).forUpload('files/late', {
    seconds: 1,
    bytes: 1,
  })
  const made = /X-Amz-Date=(\w+)/.exec(url)?.[1] ?? ''
  const old = url.replace(made, `2020${made.slice(4)}`)
  expect((await fetch(old, { method: 'PUT', headers, body: 'x' })).status).toBe(403)
})
