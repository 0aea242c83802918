import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { s3Objects } from '#shared/platform/objects/s3.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { bucket, foldersIn } from './files.ts'
import { rangeOf } from './range.ts'
import { startObjects } from './server.ts'
import { sweep } from './sweep.ts'

let dir: string

beforeEach(async () => {
  useLocalCredentials()
  dir = await mkdtemp(join(tmpdir(), 'objects-'))
})
afterEach(() => rm(dir, { recursive: true }))

const inParts = async function* (count: number) {
  for (let i = 0; i < count; i++) yield Buffer.alloc(1_000_000, String(i))
}

describe('the object engine', () => {
  it('rejects a caller without its access key, and stores nothing', async () => {
    const objects = await startObjects({ dir, accessKeyId: 'another key' })
    const store = s3Objects({ S3_ENDPOINT: objects.endpoint, OBJECTS_BUCKET: bucket })
    const put = store.put('videos/a.mp4', inParts(1), { contentType: 'video/mp4' })
    await expect(put).rejects.toThrow('InvalidAccessKeyId')
    expect((await fetch(`${objects.endpoint}/objects/videos/a.mp4`)).status).toBe(403)
    await objects.close()
    expect(await readdir(foldersIn(dir).whole)).toEqual([])
  })

  it('deletes the parts of an upload whose process and engine were killed', async () => {
    const { parts } = foldersIn(dir)
    await mkdir(join(parts, 'an-upload'), { recursive: true })
    await writeFile(join(parts, 'an-upload', '1'), 'half of it')
    const objects = await startObjects({ dir })
    expect(await readdir(parts)).toEqual([])
    await objects.close()
  })

  it('aborts an upload whose body is interrupted, in one part or in many', async () => {
    const objects = await startObjects({ dir })
    const store = s3Objects({ S3_ENDPOINT: objects.endpoint, OBJECTS_BUCKET: bucket })
    for (const count of [1, 20]) {
      const broken = async function* () {
        yield* inParts(count)
        throw new Error('broken off')
      }
      const put = store.put('videos/a.mp4', broken(), { contentType: 'video/mp4' })
      await expect(put).rejects.toThrow('broken off')
    }
    for (const folder of Object.values(foldersIn(dir))) expect(await readdir(folder)).toEqual([])
    await objects.close()
  })
})

it('exactly objects older than thirty days are deleted', async () => {
  const now = Date.now()
  await mkdir(join(dir, 'videos'))
  for (const [name, days] of [
    ['old.mp4', 31],
    ['new.mp4', 29],
  ] as const) {
    const path = join(dir, 'videos', name)
    await writeFile(path, name)
    await utimes(path, new Date(now), new Date(now - days * 86_400_000))
  }
  await sweep(dir, now)
  expect(await readdir(join(dir, 'videos'))).toEqual(['new.mp4'])
})

it.each([
  ['bytes=0-', 0, 'none'],
  ['bytes=-0', 10, 'none'],
  ['bytes=-99', 10, { start: 0, end: 9 }],
  ['bytes=-', 10, undefined],
  ['bytes=9-9', 10, { start: 9, end: 9 }],
] as const)('%s of %i bytes is %j', (header, size, range) => {
  expect(rangeOf(header, size)).toEqual(range)
})
