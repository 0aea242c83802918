/** contract.md 16: the longest name and the longest path, in bytes of UTF-8. */
export const longestNameBytes = 255
export const longestPathBytes = 4096

/**
 * Checks the path of a file or folder, relative to the agent's workspace. Names are compared as they are, without
 * normalisation.
 * @returns the reason why the path is invalid; undefined for a valid path
 */
export function pathFault(path: string): string | undefined {
  if (path === '') return 'path required'
  // Half a surrogate pair cannot be represented in UTF-8, and a system call ends a name at a zero byte.
  if (!path.isWellFormed() || path.includes('\0')) return 'path must be UTF-8 without zero bytes'
  if (Buffer.byteLength(path) > longestPathBytes)
    return `path must have at most ${longestPathBytes} bytes`
  const names = path.split('/')
  if (names[0] === '') return 'path must be relative'
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return 'path must not contain an empty segment, “.” or “..”'
  if (names.some((name) => Buffer.byteLength(name) > longestNameBytes))
    return `each name of path must have at most ${longestNameBytes} bytes`
  return undefined
}

/** Returns the names in a valid path; an empty path is the workspace itself. */
export function namesIn(path: string): string[] {
  return path === '' ? [] : path.split('/')
}
