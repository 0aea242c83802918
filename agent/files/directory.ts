import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { bytesOf } from './names.ts'

/**
 * An open directory. Operations on its entries use the open descriptor, so that they apply to this directory even if a
 * link replaces it.
 */
export interface Directory extends AsyncDisposable {
  /** The path of the directory itself, for one system call. */
  readonly self: string
  /** Returns the path of an entry, for one system call that does not follow a link in the last part. */
  at(name: string): string | Buffer
  /** Opens a subdirectory. @throws Error of the system, ENOTDIR or ELOOP for a link */
  open(name: string): Promise<Directory>
  /** Opens a subdirectory, and creates it if it does not exist. */
  make(name: string): Promise<Directory>
}

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Only Linux resolves a path from an open descriptor, as openat(2) does. */
const fromDescriptors = process.platform === 'linux'

/** Opens the root of the data, and creates it if it does not exist. Its path may contain links. */
export async function openRoot(path: string): Promise<Directory> {
  await mkdir(path, { recursive: true })
  const real = await realpath(path)
  return directoryOf(await open(real, flags), Buffer.from(real))
}

/** Opens the directory at a path below the root. @param make true to create missing directories */
export async function descend(
  root: Directory,
  names: readonly string[],
  make = false,
): Promise<Directory> {
  let current: Directory | undefined
  for (const name of names) {
    const parent: Directory = current ?? root
    try {
      current = await (make ? parent.make(name) : parent.open(name))
    } finally {
      if (parent !== root) await parent[Symbol.asyncDispose]()
    }
  }
  return current ?? { ...root, [Symbol.asyncDispose]: async () => {} }
}

function directoryOf(handle: FileHandle, path: Buffer): Directory {
  const self = fromDescriptors ? `/proc/self/fd/${handle.fd}` : path.toString()
  const prefix = Buffer.from(`${self}/`)
  const at = (name: string) =>
    name.isWellFormed() ? `${self}/${name}` : Buffer.concat([prefix, bytesOf(name)])
  const below = (name: string) => Buffer.concat([path, Buffer.from('/'), bytesOf(name)])
  const openHere = async (name: string) => {
    const found = await open(at(name), flags)
    return fromDescriptors
      ? directoryOf(found, below(name))
      : directoryOf(await checked(found, below(name)), below(name))
  }
  return {
    self,
    at,
    open: openHere,
    async make(name) {
      await mkdir(at(name)).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error
      })
      return openHere(name)
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/** Without paths from descriptors: checks that the path still belongs to the opened directory. */
async function checked(handle: FileHandle, path: Buffer): Promise<FileHandle> {
  const [opened, there] = [await handle.stat(), await lstat(path).catch(() => undefined)]
  if (there?.ino === opened.ino && there.dev === opened.dev) return handle
  await handle.close()
  throw Object.assign(new Error('the directory was replaced'), { code: 'ELOOP' })
}

/** Returns the system's code of an error: ENOENT, EEXIST, … */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

const absent = new Set<unknown>(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG'])

/** Returns undefined if nothing exists there any more, or something else. Other errors are thrown. */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (absent.has(codeOf(error))) return undefined
    throw error
  }
}
