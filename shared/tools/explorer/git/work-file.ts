import { createHash } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises'
import { type Directory, systemCode } from '#shared/platform/folder/directory.ts'
import { readAtMost } from '../read-at-most.ts'
import type { IndexEntry, StatData } from './index-file.ts'

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const maxRulesBytes = 1_048_576
/** The size of one read while hashing; several files are hashed concurrently. */
const pieceBytes = 262_144

/** Git's modes. */
export const modes = {
  file: 0o100644,
  program: 0o100755,
  link: 0o120000,
  commit: 0o160000,
} as const

/** Returns the file's status, or undefined if it does not exist or is neither a file nor a link. */
export async function statusOf(folder: Directory, name: string): Promise<BigIntStats | undefined> {
  const found = await lstat(folder.at(name), { bigint: true }).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error
  })
  return found?.isFile() === true || found?.isSymbolicLink() === true ? found : undefined
}

/** The file modes that the repository's configuration trusts. Other files keep the mode of the index. */
export interface TrustedModes {
  /** `core.fileMode` */
  trustsMode: boolean
  /** `core.symlinks`: if false, a link is stored as a file with its target. */
  hasLinks: boolean
}

/**
 * Returns the mode that git stores for a file.
 * @param before the mode in the index, if any
 */
export function modeOf(
  found: BigIntStats,
  before: number | undefined,
  { trustsMode, hasLinks }: TrustedModes,
): number {
  if (found.isSymbolicLink()) return modes.link
  if (!hasLinks && before === modes.link) return before
  if (!trustsMode && (before === modes.file || before === modes.program)) return before
  return (found.mode & 0o100n) === 0n ? modes.file : modes.program
}

const word = (value: bigint) => Number(BigInt.asUintN(32, value))
const billion = 1_000_000_000n

/** Returns a file's data for the index, truncated to 32 bits as in git. */
export function statDataOf(found: BigIntStats): StatData {
  return {
    ctime: [word(found.ctimeNs / billion), word(found.ctimeNs % billion)],
    mtime: [word(found.mtimeNs / billion), word(found.mtimeNs % billion)],
    dev: word(found.dev),
    ino: word(found.ino),
    uid: word(found.uid),
    gid: word(found.gid),
    size: word(found.size),
  }
}

/**
 * Reports whether a file's size and time prove that it is unchanged. They prove nothing if the file's time is not
 * before the time of the index: the file may have changed after git read it.
 */
export function isUntouched(
  { stat }: IndexEntry,
  found: BigIntStats,
  indexMtimeNs: bigint,
): boolean {
  const { size, mtime, ino } = statDataOf(found)
  return (
    stat.size === size &&
    stat.ino === ino &&
    stat.mtime[0] === mtime[0] &&
    stat.mtime[1] === mtime[1] &&
    found.mtimeNs < indexMtimeNs
  )
}

/** Thrown if a file exceeds the read limit. */
export class LargeFile extends Error {
  override readonly name = 'LargeFile'
}

/**
 * Reads a file or the target of a link. Returns undefined if it does not exist.
 * @throws LargeFile beyond `maxBytes`, before more bytes are read into memory
 */
export async function readWork(
  folder: Directory,
  name: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  return withWork(folder, name, async (file, size) => {
    const bytes = size > maxBytes ? undefined : await readAtMost(file, maxBytes)
    if (bytes === undefined) throw new LargeFile(`${name} has more than ${maxBytes} bytes`)
    return bytes
  })
}

/** Returns git's id for a file's content or a link's target, read in pieces, or undefined if it does not exist. */
export async function hashWork(folder: Directory, name: string): Promise<string | undefined> {
  const found = await withWork(folder, name, async (file, size) => {
    const hash = createHash('sha1').update(`blob ${size}\0`)
    const piece = Buffer.alloc(pieceBytes)
    // If the file is truncated in the meantime, the hash matches no content, so the file counts as changed.
    for (let left = size; left > 0;) {
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, left))
      if (bytesRead === 0) break
      hash.update(piece.subarray(0, bytesRead))
      left -= bytesRead
    }
    return hash.digest('hex')
  })
  return Buffer.isBuffer(found) ? blobId(found) : found
}

/** @returns the target if it is a link */
async function withWork<T>(
  folder: Directory,
  name: string,
  use: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | Buffer | undefined> {
  try {
    const found = await lstat(folder.at(name))
    if (found.isSymbolicLink()) return await readlink(folder.at(name), { encoding: 'buffer' })
    const file = await open(folder.at(name), flags)
    try {
      const there = await file.stat()
      return there.isFile() ? await use(file, there.size) : undefined
    } finally {
      await file.close()
    }
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(systemCode(error) ?? '')) throw error
    return undefined
  }
}

/** Reads a file of rules. Returns undefined for a link or a file over 1 MB. */
export async function readSmall(folder: Directory, name: string): Promise<Buffer | undefined> {
  const found = await statusOf(folder, name)
  if (found?.isFile() !== true || found.size > maxRulesBytes) return undefined
  return readWork(folder, name, maxRulesBytes)
}

/** Returns git's id for a file's content. */
export function blobId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}
