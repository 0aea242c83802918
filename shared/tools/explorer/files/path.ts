import { posix } from 'node:path'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { type Directory, descend, PathError } from '#shared/platform/folder/directory.ts'
import { isUnfinished } from '#shared/platform/folder/replace.ts'
import { shownPath, unquotePath } from '../quote-path.ts'

/** A file's name and the folders above it. */
export interface FilePath {
  /** Normalised for responses: without `.`, `..` and double slashes, and in quotes if it is not UTF-8. */
  path: string
  /** Names in the form of `nameOf`, like `name`. */
  folders: readonly string[]
  name: string
}

/**
 * Parses the path of a file, relative to the root.
 * @throws PlatformError 400 for an absolute path, or one that leaves the root, contains a zero byte or leads into a
 * repository
 */
export function parsePath(requested: string): FilePath {
  const path = normalize(requested)
  const names = path.split('/')
  const name = names.pop()
  if (name === undefined || name === '' || name === '.') throw pathRefused('is not a regular file')
  if (isUnfinished(name)) throw notFound('File')
  return { path: shownPath(path), folders: names, name }
}

/**
 * Parses the path of a file or a folder.
 * @returns a function that reports whether a path is this path or below it; always true without a path
 * @throws PlatformError as parsePath
 */
export function parsePathspec(requested: string | undefined): (path: string) => boolean {
  const path = requested === undefined ? '.' : normalize(requested).replace(/\/$/, '')
  return (one) => path === '.' || one === path || one.startsWith(`${path}/`)
}

function normalize(requested: string): string {
  const asked = unquotePath(requested)
  if (asked.includes('\0')) throw pathRefused('has a zero byte')
  if (posix.isAbsolute(asked)) throw pathRefused('must be relative to the root')
  const path = posix.normalize(asked)
  const names = path.split('/')
  if (names[0] === '..') throw pathRefused('leaves the root')
  if (names.some(isRepository)) throw pathRefused('leads into a repository')
  return path
}

/** Ignores case, because some file systems do. */
function isRepository(name: string): boolean {
  return name.toLowerCase() === '.git'
}

/**
 * Returns the error 400 for a path.
 * @param why continues `path`
 */
export function pathRefused(why: string): PlatformError {
  return new PlatformError('bad-request', `path ${why}`)
}

/**
 * Opens the directory of a file.
 * @throws PlatformError 400 for a symbolic link in the path, 404
 */
export async function openFolder(
  root: string,
  folders: readonly string[],
  make = false,
): Promise<Directory> {
  return descend(root, folders, make).catch((error: unknown) => {
    throw asRefusal(error)
  })
}

/** Converts a system error about a path to the caller's error. */
export function asRefusal(error: unknown): unknown {
  if (error instanceof PathError)
    return error.fault === 'link' ? pathRefused('contains a symbolic link') : notFound('File')
  if (!(error instanceof Error) || !('code' in error)) return error
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return notFound('File')
    case 'ELOOP':
      return pathRefused('contains a symbolic link')
    case 'ENAMETOOLONG':
      return pathRefused('is too long')
    // The system also rejects special files: a socket cannot be opened, nor a directory replaced.
    case 'EISDIR':
    case 'ENXIO':
      return pathRefused('is not a regular file')
    default:
      return error
  }
}
