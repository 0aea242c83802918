import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { foldersIn } from './files.ts'

type Bytes = AsyncIterable<Buffer>

/** A range of bytes, both ends included. */
interface Range {
  start: number
  end: number
}

/** Stores objects as files. A file gets its final name only after all of it is on disk, so a crash leaves no partial object. */
export function openStore(dir: string) {
  const { whole, parts } = foldersIn(dir)
  const folderOf = (uploadId: string) => join(parts, uploadId)

  async function publish(from: string, key: string): Promise<void> {
    const to = join(whole, key)
    await mkdir(dirname(to), { recursive: true })
    await rename(from, to)
  }

  async function sizeOf(key: string): Promise<number | undefined> {
    const found = await stat(join(whole, key)).catch(unlessMissing)
    return found?.isFile() === true ? found.size : undefined
  }

  return {
    /** @returns the ETag */
    async put(key: string, body: Bytes): Promise<string> {
      const uploadId = await begin()
      const path = join(folderOf(uploadId), 'whole')
      const tag = await writeFile(path, body)
      await publish(path, key)
      await remove(uploadId)
      return tag
    },

    /** Stores an object unless its key is in use: `If-None-Match: *`. @returns the ETag; undefined if it is in use */
    async create(key: string, body: Bytes): Promise<string | undefined> {
      const uploadId = await begin()
      const path = join(folderOf(uploadId), 'whole')
      try {
        const tag = await writeFile(path, body)
        const to = join(whole, key)
        await mkdir(dirname(to), { recursive: true })
        await link(path, to)
        return tag
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        return undefined
      } finally {
        await remove(uploadId)
      }
    },

    sizeOf,

    read: (key: string, range?: Range) => createReadStream(join(whole, key), range),

    delete: (key: string) => rm(join(whole, key), { force: true }),

    begin,

    /** @returns the ETag; undefined if the upload does not exist */
    async putPart(uploadId: string, part: number, body: Bytes): Promise<string | undefined> {
      if (!(await has(uploadId))) return undefined
      return writeFile(join(folderOf(uploadId), String(part)), body)
    },

    /** Copies a range of an object. @returns the ETag; undefined if the upload or the object does not exist */
    async copyPart(
      uploadId: string,
      part: number,
      { key, range }: { key: string; range: Range | undefined },
    ): Promise<string | undefined> {
      if (!(await has(uploadId)) || (await sizeOf(key)) === undefined) return undefined
      const body = createReadStream(join(whole, key), range)
      return writeFile(join(folderOf(uploadId), String(part)), body)
    },

    /** @returns the ETag; undefined if the upload does not exist or lacks one of these parts */
    async complete(
      uploadId: string,
      { key, numbers }: { key: string; numbers: readonly number[] },
    ): Promise<string | undefined> {
      const names = await namesIn(uploadId)
      if (numbers.length === 0 || numbers.some((part) => !names.includes(String(part))))
        return undefined
      const path = join(folderOf(uploadId), 'whole')
      const tag = await writeFile(
        path,
        inOrder(numbers.map((part) => join(folderOf(uploadId), String(part)))),
      )
      await publish(path, key)
      await remove(uploadId)
      return tag
    },

    remove,
  }

  async function begin(): Promise<string> {
    const uploadId = randomUUID()
    await mkdir(folderOf(uploadId), { recursive: true })
    return uploadId
  }

  async function remove(uploadId: string): Promise<void> {
    if (isUpload(uploadId)) await rm(folderOf(uploadId), { recursive: true, force: true })
  }

  async function has(uploadId: string): Promise<boolean> {
    return isUpload(uploadId) && (await readdir(parts)).includes(uploadId)
  }

  async function namesIn(uploadId: string): Promise<string[]> {
    return (await has(uploadId)) ? readdir(folderOf(uploadId)) : []
  }
}

function isUpload(uploadId: string): boolean {
  return /^[\da-f-]{36}$/.test(uploadId)
}

/** Writes a file and syncs it to disk. @returns its ETag */
async function writeFile(path: string, body: Bytes): Promise<string> {
  const hash = createHash('md5')
  await using file = await open(path, 'w', 0o600)
  for await (const chunk of body) {
    hash.update(chunk)
    await file.write(chunk)
  }
  await file.sync()
  return `"${hash.digest('hex')}"`
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

async function* inOrder(paths: readonly string[]): AsyncGenerator<Buffer> {
  for (const path of paths) yield* createReadStream(path) as Bytes
}
