import { createHash } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises'
import { type Directory, systemCode } from '../../platform/folder/directory.ts'
import { readAtMost } from '../read-at-most.ts'
import type { IndexEntry, StatData } from './index-file.ts'

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const maxRulesBytes = 1_048_576
/** Of a file that is hashed; some are at a time. */
const pieceBytes = 262_144

/** Git's modes. */
export const modes = {
  file: 0o100644,
  program: 0o100755,
  link: 0o120000,
  commit: 0o160000,
} as const

/** A file or link of the working tree; undefined for what git does not keep, or is gone. */
export async function lookAt(folder: Directory, name: string): Promise<BigIntStats | undefined> {
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

/** What the index keeps of a file, cut to 32 bits as git cuts it. */
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

/** Whether a file is surely what the index has, by size and time alone: not where it may have changed in the index's own moment. */
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

/** A file that is larger than what may be held of it. */
export class LargeFile extends Error {
  override readonly name = 'LargeFile'
}

/**
 * The bytes of a file, or where a link leads; undefined where it has gone.
 * @throws LargeFile beyond `maxBytes`, of which it holds no more
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

/** The id that git gives to a file's content, or to where a link leads, read in pieces; undefined where it has gone. */
export async function hashWork(folder: Directory, name: string): Promise<string | undefined> {
  const found = await withWork(folder, name, async (file, size) => {
    const hash = createHash('sha1').update(`blob ${size}\0`)
    const piece = Buffer.alloc(pieceBytes)
    // Of a file that is cut meanwhile this becomes the id of no content at all: it counts as changed.
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

/** @returns where it is a link, where that leads */
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

/** The same for a file of rules; one over 1 MB counts as none, and so does a link. */
export async function readSmall(folder: Directory, name: string): Promise<Buffer | undefined> {
  const found = await lookAt(folder, name)
  if (found?.isFile() !== true || found.size > maxRulesBytes) return undefined
  return readWork(folder, name, maxRulesBytes)
}

/** The id that git gives to a file's content. */
export function blobId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}
