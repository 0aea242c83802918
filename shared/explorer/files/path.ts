import { posix } from 'node:path'
import { type Directory, descend, PathError } from '../../platform/folder/directory.ts'
import { isUnfinished } from '../../platform/folder/replace.ts'
import { notFound, PlatformError } from '../../platform/errors.ts'

/** A file by the directories that lead to it. */
export interface FilePath {
  /** As it is answered: without `.`, `..` and doubled slashes. */
  path: string
  folders: readonly string[]
  name: string
}

/**
 * Reads a path of a request: relative to the root, and to a file.
 * @throws PlatformError 400 for an absolute one, one that leaves the root, has a zero byte or leads into a repository
 */
export function parsePath(given: string): FilePath {
  const path = normalize(given)
  const names = path.split('/')
  const name = names.pop()
  if (name === undefined || name === '' || name === '.') throw refused('is not a regular file')
  if (isUnfinished(name)) throw notFound('File')
  return { path, folders: names, name }
}

/**
 * Reads a path to a file or a folder.
 * @returns whether a path is it, or below it; without one every path is
 * @throws PlatformError as for a path to a file
 */
export function parsePathspec(given: string | undefined): (path: string) => boolean {
  const path = given === undefined ? '.' : normalize(given).replace(/\/$/, '')
  return (one) => path === '.' || one === path || one.startsWith(`${path}/`)
}

function normalize(given: string): string {
  if (given.includes('\0')) throw refused('has a zero byte')
  if (posix.isAbsolute(given)) throw refused('must be relative to the root')
  const path = posix.normalize(given.toWellFormed())
  const names = path.split('/')
  if (names[0] === '..') throw refused('leaves the root')
  if (names.some(isRepository)) throw refused('leads into a repository')
  return path
}

/** Also as file systems write it that take both cases for one. */
function isRepository(name: string): boolean {
  return name.toLowerCase() === '.git'
}

export function refused(why: string): PlatformError {
  return new PlatformError('bad-request', `path ${why}`)
}

/** Opens the directory of a file. @throws PlatformError 400 for a link on the way, 404 */
export async function openFolder(
  root: string,
  folders: readonly string[],
  make = false,
): Promise<Directory> {
  return descend(root, folders, make).catch((error: unknown) => {
    throw asRefusal(error)
  })
}

/** What the system says of a path, as its caller is told. */
export function asRefusal(error: unknown): unknown {
  if (error instanceof PathError)
    return error.fault === 'link' ? refused('has a symbolic link in it') : notFound('File')
  if (!(error instanceof Error) || !('code' in error)) return error
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return notFound('File')
    case 'ELOOP':
      return refused('has a symbolic link in it')
    case 'ENAMETOOLONG':
      return refused('is too long')
    // What is no file is also refused by the system: a socket cannot be opened, nor a directory replaced.
    case 'EISDIR':
    case 'ENXIO':
      return refused('is not a regular file')
    default:
      return error
  }
}
