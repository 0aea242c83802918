import { constants } from 'node:fs'
import { lstat, open, readdir, readlink, rmdir, unlink } from 'node:fs/promises'
import { posix } from 'node:path'
import type { PromiseFsClient } from 'isomorphic-git'
import { type Directory, openRoot, PathError } from '#shared/platform/folder/directory.ts'
import { replaceFile, replaceLocked } from '#shared/platform/folder/replace.ts'

/** The maximum size of a pack, because isomorphic-git reads whole packs into memory. */
const maxPackBytes = 512 * 1024 * 1024
/** The maximum number of file descriptors of one request. A Lambda process has 1024. */
const maxDirectories = 300

/**
 * The file system of a repository for isomorphic-git. Its `/` is the root. It follows no symbolic links and writes
 * files atomically. Directories stay open until it is closed, because git uses them repeatedly.
 */
export interface RepositoryFiles extends AsyncDisposable {
  fs: PromiseFsClient
  /**
   * Opens a directory to walk it.
   * @throws Error of the system
   */
  directory(path: string): Promise<Directory>
  /**
   * Replaces a file with git's own lock file beside it, which excludes other git processes.
   * @throws Error EEXIST if another process holds the lock
   */
  replaceLocked(path: string, content: string | Uint8Array): Promise<void>
}

export async function openFiles(root: string): Promise<RepositoryFiles> {
  const top = await openRoot(root)
  const directories = new Map<string, Promise<Directory>>([['/', Promise.resolve(top)]])
  const loose: Promise<Directory>[] = []

  const directory = (path: string): Promise<Directory> => {
    const found = directories.get(path)
    if (found !== undefined) return found
    const opening = openBelow(path)
    if (directories.size < maxDirectories) directories.set(path, opening)
    else loose.push(opening)
    return opening
  }
  const openBelow = async (path: string): Promise<Directory> => {
    try {
      return await (await directory(posix.dirname(path))).open(posix.basename(path))
    } catch (error) {
      directories.delete(path)
      throw asSystemError(error)
    }
  }
  /** Returns the directory and the name of a path. */
  const locate = async (gitPath: string) => {
    const path = posix.resolve('/', gitPath)
    return { folder: await directory(posix.dirname(path)), name: posix.basename(path) || '.' }
  }
  const stat = async (path: string) => {
    const { folder, name } = await locate(path)
    return lstat(folder.at(name))
  }

  const promises = {
    async readFile(path: string, options?: { encoding?: BufferEncoding } | BufferEncoding) {
      const { folder, name } = await locate(path)
      const bytes = await readWhole(folder, name)
      const encoding = typeof options === 'string' ? options : options?.encoding
      return encoding === undefined ? bytes : bytes.toString(encoding)
    },
    async writeFile(path: string, content: string | Uint8Array) {
      const { folder, name } = await locate(path)
      await replaceFile(folder, name, content, { temporary: 'tmp_obj_', durable: false })
    },
    async mkdir(path: string) {
      const { folder, name } = await locate(path)
      await (await folder.make(name)).close()
    },
    async rmdir(path: string) {
      const { folder, name } = await locate(path)
      directories.delete(posix.resolve('/', path))
      await rmdir(folder.at(name))
    },
    async unlink(path: string) {
      const { folder, name } = await locate(path)
      await unlink(folder.at(name))
    },
    async readdir(path: string) {
      return readdir((await directory(posix.resolve('/', path))).self)
    },
    async readlink(path: string) {
      const { folder, name } = await locate(path)
      return readlink(folder.at(name), { encoding: 'buffer' })
    },
    stat,
    lstat: stat,
    /** Creating links is not supported. */
    async symlink() {
      throw Object.assign(new Error('links cannot be created'), { code: 'EPERM' })
    },
  }

  return {
    fs: { promises },
    directory,
    async replaceLocked(path, content) {
      const { folder, name } = await locate(path)
      await replaceLocked(folder, name, content)
    },
    async [Symbol.asyncDispose]() {
      const all = await Promise.allSettled([...directories.values(), ...loose])
      await Promise.all(all.map((one) => one.status === 'fulfilled' && one.value.close()))
    },
  }
}

/** O_NONBLOCK, because opening a pipe would otherwise wait for its other end. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

async function readWhole(folder: Directory, name: string): Promise<Buffer> {
  const file = await open(folder.at(name), flags)
  try {
    const found = await file.stat()
    if (found.isDirectory()) throw Object.assign(new Error('a directory'), { code: 'EISDIR' })
    if (!found.isFile() || found.size > maxPackBytes)
      throw Object.assign(new Error('too large, or not a regular file'), { code: 'EFBIG' })
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Converts a path error to a system error, whose code isomorphic-git expects. */
function asSystemError(error: unknown): unknown {
  if (!(error instanceof PathError)) return error
  const codes = { missing: 'ENOENT', 'not-a-directory': 'ENOTDIR', link: 'ELOOP' } as const
  return Object.assign(new Error(error.message), { code: codes[error.fault] })
}
