import { constants } from 'node:fs'
import { lstat, open, readdir, readlink, rmdir, unlink } from 'node:fs/promises'
import { posix } from 'node:path'
import type { PromiseFsClient } from 'isomorphic-git'
import { type Directory, openRoot, PathError } from '../../platform/folder/directory.ts'
import { replaceFile, replaceLocked } from '../../platform/folder/replace.ts'

/** A pack is read whole: isomorphic-git knows no other way. */
const maxPackBytes = 512 * 1024 * 1024
/** Descriptors that one request may hold; a process of Lambda has 1024. */
const maxHeld = 300

/**
 * The files of a repository for isomorphic-git: its `/` is the root, and no link is followed, wherever it stands. Files
 * appear whole or not at all. Directories stay open until it is closed, since git's are met again and again.
 */
export interface RepositoryFiles extends AsyncDisposable {
  fs: PromiseFsClient
  /** An open directory of the root, for one that is walked. @throws Error of the system */
  directory(path: string): Promise<Directory>
  /** Replaces a file as git does it, by a lock beside it that keeps every git away. @throws Error EEXIST where one is at it */
  replaceLocked(path: string, content: string | Uint8Array): Promise<void>
}

export async function openFiles(root: string): Promise<RepositoryFiles> {
  const top = await openRoot(root)
  const held = new Map<string, Promise<Directory>>([['/', Promise.resolve(top)]])
  const loose: Promise<Directory>[] = []

  const directory = (path: string): Promise<Directory> => {
    const found = held.get(path)
    if (found !== undefined) return found
    const opening = openBelow(path)
    if (held.size < maxHeld) held.set(path, opening)
    else loose.push(opening)
    return opening
  }
  const openBelow = async (path: string): Promise<Directory> => {
    try {
      return await (await directory(posix.dirname(path))).open(posix.basename(path))
    } catch (error) {
      held.delete(path)
      throw asSystemError(error)
    }
  }
  /** The directory of a path and the name in it. */
  const place = async (given: string) => {
    const path = posix.resolve('/', given)
    return { folder: await directory(posix.dirname(path)), name: posix.basename(path) || '.' }
  }
  const stat = async (path: string) => {
    const { folder, name } = await place(path)
    return lstat(folder.at(name))
  }

  const promises = {
    async readFile(path: string, options?: { encoding?: BufferEncoding } | BufferEncoding) {
      const { folder, name } = await place(path)
      const bytes = await readWhole(folder, name)
      const encoding = typeof options === 'string' ? options : options?.encoding
      return encoding === undefined ? bytes : bytes.toString(encoding)
    },
    async writeFile(path: string, content: string | Uint8Array) {
      const { folder, name } = await place(path)
      await replaceFile(folder, name, content, { temporary: 'tmp_obj_', durable: false })
    },
    async mkdir(path: string) {
      const { folder, name } = await place(path)
      await (await folder.make(name)).close()
    },
    async rmdir(path: string) {
      const { folder, name } = await place(path)
      held.delete(posix.resolve('/', path))
      await rmdir(folder.at(name))
    },
    async unlink(path: string) {
      const { folder, name } = await place(path)
      await unlink(folder.at(name))
    },
    async readdir(path: string) {
      return readdir((await directory(posix.resolve('/', path))).self)
    },
    async readlink(path: string) {
      const { folder, name } = await place(path)
      return readlink(folder.at(name), { encoding: 'buffer' })
    },
    stat,
    lstat: stat,
    /** Nothing here makes links. */
    async symlink() {
      throw Object.assign(new Error('links are not made'), { code: 'EPERM' })
    },
  }

  return {
    fs: { promises },
    directory,
    async replaceLocked(path, content) {
      const { folder, name } = await place(path)
      await replaceLocked(folder, name, content)
    },
    async [Symbol.asyncDispose]() {
      const all = await Promise.allSettled([...held.values(), ...loose])
      await Promise.all(all.map((one) => one.status === 'fulfilled' && one.value.close()))
    },
  }
}

/** A pipe must not be waited for. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

async function readWhole(folder: Directory, name: string): Promise<Buffer> {
  const file = await open(folder.at(name), flags)
  try {
    const found = await file.stat()
    if (found.isDirectory()) throw Object.assign(new Error('a directory'), { code: 'EISDIR' })
    if (!found.isFile() || found.size > maxPackBytes)
      throw Object.assign(new Error('too large, or no file'), { code: 'EFBIG' })
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** What isomorphic-git knows by its code. */
function asSystemError(error: unknown): unknown {
  if (!(error instanceof PathError)) return error
  const codes = { missing: 'ENOENT', 'not-a-directory': 'ENOTDIR', link: 'ELOOP' } as const
  return Object.assign(new Error(error.message), { code: codes[error.fault] })
}
