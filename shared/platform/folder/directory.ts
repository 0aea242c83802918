import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesOf } from './names.ts'

/**
 * An open directory. Operations on its entries use the open descriptor, so that they apply to this directory even if
 * another directory or link replaces it.
 */
export interface Directory extends AsyncDisposable {
  /**
   * Returns the path of an entry, for one system call that does not follow a link in the last part. @param name a name
   * from `nameOf`
   */
  at(name: string): string | Buffer
  /** The path of the directory itself. */
  readonly self: string
  /** Opens a subdirectory. @throws PathError if the entry is not a directory, for example a link */
  open(name: string): Promise<Directory>
  /** Opens a subdirectory, and creates it if it does not exist. */
  make(name: string): Promise<Directory>
  close(): Promise<void>
}

/** The reason why a path cannot be opened. */
export type PathFault = 'missing' | 'link' | 'not-a-directory'

export class PathError extends Error {
  readonly fault: PathFault

  constructor(fault: PathFault) {
    super(fault)
    this.name = 'PathError'
    this.fault = fault
  }
}

/** Returns the system's code of an error: ENOENT, EEXIST, … */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Only Linux resolves a path from an open descriptor, as openat(2) does. */
const fromDescriptors = process.platform === 'linux'

/** Opens the root, a path of the operator, which may contain links. */
export async function openRoot(path: string): Promise<Directory> {
  const real = await realpath(path)
  return directoryOf(await open(real, directoryFlags), real)
}

function directoryOf(handle: FileHandle, path: string): Directory {
  const self = fromDescriptors ? `/proc/self/fd/${handle.fd}` : path
  const at = (name: string) =>
    name.isWellFormed()
      ? `${self}/${name}`
      : Buffer.concat([Buffer.from(`${self}/`), bytesOf(name)])
  const close = () => handle.close()
  const openHere = async (name: string) => {
    const found = await open(at(name), directoryFlags).catch(async (error: unknown) => {
      throw (await faultOf(error, at(name))) ?? error
    })
    return fromDescriptors ? directoryOf(found, join(path, name)) : checked(found, join(path, name))
  }
  return {
    at,
    self,
    close,
    [Symbol.asyncDispose]: close,
    open: openHere,
    async make(name) {
      await mkdir(at(name)).catch((error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error
      })
      return openHere(name)
    },
  }
}

/**
 * Fallback for systems without paths from a descriptor: checks that the path still belongs to the opened directory and
 * contains no link.
 */
async function checked(handle: FileHandle, path: string): Promise<Directory> {
  const [opened, there] = [await handle.stat(), await lstat(path).catch(() => undefined)]
  const same = there?.ino === opened.ino && there.dev === opened.dev
  if (same && (await realpath(path)) === path) return directoryOf(handle, path)
  await handle.close()
  throw new PathError('link')
}

async function faultOf(failure: unknown, path: string | Buffer): Promise<PathError | undefined> {
  const code = systemCode(failure)
  if (code === 'ENOENT') return new PathError('missing')
  if (code !== 'ENOTDIR' && code !== 'ELOOP') return undefined
  const there = await lstat(path).catch(() => undefined)
  return new PathError(there?.isSymbolicLink() === true ? 'link' : 'not-a-directory')
}

/**
 * Opens the directory at a path below a root, given as names. The caller closes it. @param make true to create missing
 * directories
 * @throws PathError
 */
export async function descend(
  root: string,
  names: readonly string[],
  make = false,
): Promise<Directory> {
  let current = await openRoot(root)
  for (const name of names) {
    await using left = current
    current = await (make ? left.make(name) : left.open(name))
  }
  return current
}
