import { createHash } from 'node:crypto'
import { byBytes, bytesOf, nameOf } from '#shared/platform/folder/names.ts'

/** An entry of git's index. */
export interface IndexEntry {
  /** Encoded by `nameOf`. */
  path: string
  /** Git's mode: 0o100644, 0o100755, 0o120000 for a link, 0o160000 for a submodule's commit. */
  mode: number
  oid: string
  /** 0, or 1 to 3 for the sides of a conflict. */
  stage: number
  /** The file's times, device, inode, owner and size when it was last indexed, in the ten stored words. */
  stat: StatData
  assumeValid: boolean
  skipWorktree: boolean
  intentToAdd: boolean
}

export interface StatData {
  ctime: readonly [seconds: number, nanoseconds: number]
  mtime: readonly [seconds: number, nanoseconds: number]
  dev: number
  ino: number
  uid: number
  gid: number
  size: number
}

const fixed = 62
const hash = 20

/** Thrown if the index cannot be read; the message is the reason. */
export class IndexError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'IndexError'
  }
}

/**
 * Parses `.git/index`, versions 2 to 4: gitformat-index(5).
 * @throws IndexError
 */
export function parseIndex(bytes: Buffer): IndexEntry[] {
  const body = bytes.subarray(0, -hash)
  const sum = bytes.subarray(-hash)
  // The checksum is all zeros with `index.skipHash`.
  if (bytes.length < 12 + hash || bytes.toString('latin1', 0, 4) !== 'DIRC')
    throw new IndexError('it is not an index')
  if (!sum.equals(createHash('sha1').update(body).digest()) && sum.some((byte) => byte !== 0))
    throw new IndexError('its checksum is wrong')
  const version = body.readUInt32BE(4)
  if (version < 2 || version > 4) throw new IndexError(`its version is ${version}`)
  const entries: IndexEntry[] = []
  let at = 12
  let before: Buffer = Buffer.alloc(0)
  for (let left = body.readUInt32BE(8); left > 0; left--) {
    const begin = at
    const words = Array.from({ length: 10 }, (_, i) => body.readUInt32BE(begin + 4 * i))
    const flags = body.readUInt16BE(begin + 60)
    const extended = (flags & 0x4000) !== 0
    const more = extended ? body.readUInt16BE(begin + fixed) : 0
    at += fixed + (extended ? 2 : 0)
    if (version === 4) {
      const [stripped, after] = readOffset(body, at)
      const end = body.indexOf(0, after)
      before = Buffer.concat([
        before.subarray(0, before.length - stripped),
        body.subarray(after, end),
      ])
      at = end + 1
    } else {
      const end = body.indexOf(0, at)
      before = body.subarray(at, end)
      // Padded with one to eight zeros to a multiple of eight.
      at = begin + Math.floor((end - begin + 8) / 8) * 8
    }
    entries.push(entryOf(words, body.toString('hex', begin + 40, begin + 60), flags, more, before))
  }
  requireKnownExtensions(body, at)
  return entries
}

function entryOf(words: number[], oid: string, flags: number, more: number, path: Buffer) {
  const [c = 0, cn = 0, m = 0, mn = 0, dev = 0, ino = 0, mode = 0, uid = 0, gid = 0, size = 0] =
    words
  return {
    path: nameOf(path),
    mode,
    oid,
    stage: (flags >> 12) & 3,
    stat: { ctime: [c, cn], mtime: [m, mn], dev, ino, uid, gid, size },
    assumeValid: (flags & 0x8000) !== 0,
    skipWorktree: (more & 0x4000) !== 0,
    intentToAdd: (more & 0x2000) !== 0,
  } satisfies IndexEntry
}

/** Reads a variable-length number, encoded like the offsets in packs. */
function readOffset(bytes: Buffer, begin: number): [value: number, after: number] {
  let at = begin
  let byte = bytes.readUInt8(at++)
  let value = byte & 127
  while ((byte & 128) !== 0) {
    byte = bytes.readUInt8(at++)
    value = (value + 1) * 128 + (byte & 127)
  }
  return [value, at]
}

/** Extensions with an uppercase name are optional. Others change the meaning of entries (a split or a sparse index). */
function requireKnownExtensions(body: Buffer, begin: number): void {
  for (let at = begin; at + 8 <= body.length; at += 8 + body.readUInt32BE(at + 4)) {
    const name = body.toString('latin1', at, at + 4)
    if (!/^[A-Z]/.test(name)) throw new IndexError(`it has the extension ${JSON.stringify(name)}`)
  }
}

/** Sorts in git's order: by bytes of the path, then by stage. */
function inIndexOrder(one: IndexEntry, other: IndexEntry): number {
  return byBytes(one.path, other.path) || one.stage - other.stage
}

/** Formats an index of version 2, or of version 3 if an entry requires it. Git recreates the contents of extensions. */
export function formatIndex(entries: readonly IndexEntry[]): Buffer {
  const extended = entries.some(({ skipWorktree, intentToAdd }) => skipWorktree || intentToAdd)
  const head = Buffer.alloc(12)
  head.write('DIRC')
  head.writeUInt32BE(extended ? 3 : 2, 4)
  head.writeUInt32BE(entries.length, 8)
  const body = Buffer.concat([head, ...entries.toSorted(inIndexOrder).map(formatEntry)])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

function formatEntry({ path, mode, oid, stage, stat, ...flags }: IndexEntry): Buffer {
  const name = bytesOf(path)
  const more = (flags.skipWorktree ? 0x4000 : 0) | (flags.intentToAdd ? 0x2000 : 0)
  const begin = fixed + (more === 0 ? 0 : 2)
  const entry = Buffer.alloc(Math.floor((begin + name.length + 8) / 8) * 8)
  const { ctime, mtime, dev, ino, uid, gid, size } = stat
  const words = [...ctime, ...mtime, dev, ino, mode, uid, gid, size]
  for (const [i, word] of words.entries()) entry.writeUInt32BE(word >>> 0, 4 * i)
  entry.write(oid, 40, 'hex')
  const length = Math.min(name.length, 0xfff)
  const bits = (flags.assumeValid ? 0x8000 : 0) | (more === 0 ? 0 : 0x4000) | (stage << 12) | length
  entry.writeUInt16BE(bits, 60)
  if (more !== 0) entry.writeUInt16BE(more, fixed)
  name.copy(entry, begin)
  return entry
}
