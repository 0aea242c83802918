import { Problem } from '../http/problem.ts'

/** The longest name and the longest path, in bytes of UTF-8. The platform's routes have the same bounds. */
const longestNameBytes = 255
const longestPathBytes = 4096

/** Returns the names in the path of a folder; an empty path is the workspace itself. @throws Problem as namesIn */
export function folderNamesIn(path: string): string[] {
  return path === '' ? [] : namesIn(path)
}

/**
 * Returns the names in the path of a file or folder, relative to the workspace. Names are compared as they are, without
 * normalisation.
 * @throws Problem that names the fault
 */
export function namesIn(path: string): string[] {
  const fault = pathFault(path)
  if (fault !== undefined) throw new Problem(400, 'bad_path', fault)
  return path.split('/')
}

function pathFault(path: string): string | undefined {
  if (path === '') return 'path must not be empty'
  // Half a surrogate pair cannot be represented in UTF-8, and a system call ends a name at a zero byte.
  if (!path.isWellFormed() || path.includes('\0')) return 'path must be UTF-8 without zero bytes'
  if (Buffer.byteLength(path) > longestPathBytes)
    return `path must have at most ${longestPathBytes} bytes`
  const names = path.split('/')
  if (names[0] === '') return 'path must be relative to the workspace, such as notes/tea.md'
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return 'path must not contain an empty segment, “.” or “..”'
  if (names.some((name) => Buffer.byteLength(name) > longestNameBytes))
    return `each name in path must have at most ${longestNameBytes} bytes`
  return undefined
}
