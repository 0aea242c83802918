import { createHash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { type Directory, ifThere } from './directory.ts'
import { type Packs, pieceBytes, sha256Of } from './packs.ts'
import { companions, copyDatabase, isDatabase, usesLog } from './sqlite.ts'
import { isSettled, modeOf, mtimeOf, statOf } from './stat.ts'
import { defaultModes, type FileNode } from './tree.ts'
import type { Part } from './wire.ts'

const headBytes = 100

/** A file that changes while it is read is read again, unless it is large. */
const attempts = 3
const largeBytes = 64 * 1024 * 1024

/** Not a link, and not blocked by a pipe. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** `locked`: a database that a program locks. The next scan reads it. */
export type ReadResult = FileNode | 'locked' | undefined

/**
 * Reads a file and stores its content.
 * @returns undefined if no file exists there any more
 * @throws Error of the system, EACCES for a file that must not be read
 */
export async function readContent(dir: Directory, name: string, packs: Packs): Promise<ReadResult> {
  const file = await ifThere(open(dir.at(name), flags))
  if (file === undefined) return undefined
  await using handle = file
  const before = await handle.stat({ bigint: true })
  if (!before.isFile()) return undefined
  const head = await readHead(handle)
  if (!isDatabase(head)) return await readFile(handle, before, packs)
  return await readDatabase({ dir, name, handle, head }, packs)
}

/** Returns whether a file begins like a database of SQLite. */
export async function beginsAsDatabase(dir: Directory, name: string): Promise<boolean> {
  const file = await ifThere(open(dir.at(name), flags)).catch(() => undefined)
  if (file === undefined) return false
  await using handle = file
  if (!(await handle.stat()).isFile()) return false
  return isDatabase(await readHead(handle))
}

async function readHead(handle: FileHandle): Promise<Buffer> {
  const head = Buffer.alloc(headBytes)
  const { bytesRead } = await handle.read(head, 0, headBytes, 0)
  return head.subarray(0, bytesRead)
}

async function readFile(
  handle: FileHandle,
  first: BigIntStats,
  packs: Packs,
): Promise<FileNode | undefined> {
  const rounds = first.size > largeBytes ? 1 : attempts
  for (let round = 1, before = first; ; round++) {
    const startedAt = Date.now()
    const content = await storePieces(handle, Number(before.size), packs)
    const after = await handle.stat({ bigint: true })
    const isWhole = statOf(after) === statOf(before)
    if (isWhole || round >= rounds)
      return {
        type: 'file',
        mode: modeOf(after, defaultModes.file),
        mtime: mtimeOf(isWhole ? after : before),
        ...content,
        stat: isWhole && isSettled(after, startedAt) ? statOf(after) : undefined,
      }
    before = after
  }
}

async function readDatabase(
  at: { dir: Directory; name: string; handle: FileHandle; head: Buffer },
  packs: Packs,
): Promise<ReadResult> {
  const { dir, name, handle, head } = at
  const startedAt = Date.now()
  const before = await stateOf(at)
  // Without a log, no program has the database open, so it is a plain file. SQLite would create the log.
  if (usesLog(head) && !(await hasCompanion(dir, name))) {
    const node = await readFile(handle, await handle.stat({ bigint: true }), packs)
    if (!(await hasCompanion(dir, name))) return node
  }
  const result = await copyDatabase(dir.at(name))
  if (result === 'locked') return 'locked'
  if (result === 'invalid') return readFile(handle, await handle.stat({ bigint: true }), packs)
  try {
    await using copied = await open(result.copy, constants.O_RDONLY)
    const { size } = await copied.stat()
    const content = await storePieces(copied, size, packs)
    const isSame = (await stateOf(at)).stat === before.stat && before.isSettled(startedAt)
    const { mode, mtime } = before
    return { type: 'file', mode, mtime, ...content, stat: isSame ? before.stat : undefined }
  } finally {
    await rm(result.copy, { force: true })
  }
}

/** Returns the state of a database and its write-ahead log. */
async function stateOf({
  dir,
  name,
  handle,
}: {
  dir: Directory
  name: string
  handle: FileHandle
}) {
  const own = await handle.stat({ bigint: true })
  const log = await ifThere(lstat(dir.at(`${name}-wal`), { bigint: true }))
  return {
    stat: withLogStat(own, log),
    mode: modeOf(own, defaultModes.file),
    mtime: Math.max(mtimeOf(own), log === undefined ? 0 : mtimeOf(log)),
    isSettled: (now: number) => isSettled(own, now) && (log === undefined || isSettled(log, now)),
  }
}

/** Returns `statOf` of a file with the state of its write-ahead log. @param log undefined if it has none */
export function withLogStat(own: BigIntStats, log: BigIntStats | undefined): string {
  return log === undefined || log.size === 0n ? statOf(own) : `${statOf(own)} ${statOf(log)}`
}

async function hasCompanion(dir: Directory, name: string): Promise<boolean> {
  for (const companion of companions)
    if ((await ifThere(lstat(dir.at(name + companion)))) !== undefined) return true
  return false
}

/** Stores the first bytes of a file in pieces. At most one piece of it is in memory here. */
async function storePieces(
  handle: FileHandle,
  size: number,
  packs: Packs,
): Promise<Pick<FileNode, 'size' | 'tag' | 'parts' | 'pieces'>> {
  const whole = createHash('sha256')
  const parts: Part[] = []
  const pieces: string[] = []
  let at = 0
  while (at < size) {
    const piece = await readPiece(handle, at, Math.min(pieceBytes, size - at))
    if (piece.length === 0) break
    at += piece.length
    const sha256 = sha256Of(piece)
    if (size > pieceBytes) whole.update(piece)
    pieces.push(sha256)
    parts.push(await packs.addPiece(piece, sha256))
  }
  const isOne = size <= pieceBytes && parts.length <= 1
  const tag = isOne ? (pieces[0] ?? sha256Of(Buffer.alloc(0))) : whole.digest('hex')
  return { size: at, tag, parts, pieces: isOne ? undefined : pieces }
}

/** @returns fewer bytes only at the end of the file */
async function readPiece(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, from + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return bytes.subarray(0, read)
}
