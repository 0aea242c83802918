import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Directory } from './directory.ts'
import { Folders } from './folders.ts'
import { installWhole, PartialFile, type Wanted } from './install.ts'
import type { StoredPacks } from './stored.ts'

const parallel = 16

/** The maximum size of one request. Parts that are near each other in a pack are requested together. */
const rangeBytes = 2 * 1024 * 1024
const gapBytes = 64 * 1024

/** A part of a file, at most `rangeBytes` long. */
interface Piece {
  file: Wanted
  /** Set if the file has several pieces. */
  partial: PartialFile | undefined
  /** The offset in the file. */
  at: number
  pack: string
  offset: number
  length: number
}

/** Downloads files into folders that exist. Their nodes get the state of the files on the disk. */
export async function download(
  root: Directory,
  packs: StoredPacks,
  files: readonly Wanted[],
): Promise<void> {
  await using folders = new Folders(root)
  const empty = files.filter(({ node }) => node.size === 0)
  const ranges = rangesOf(files.flatMap(piecesOf))
  packs.expect(ranges.map(([first]) => first.pack))
  const write = async ({ file, partial, at }: Piece, bytes: Buffer) =>
    folders.use(file.folder, (dir) =>
      partial === undefined ? installWhole(dir, file, bytes) : partial.write(dir, bytes, at),
    )
  await inParallel(ranges, async (range) => {
    const [first, last] = [range[0], range.at(-1) ?? range[0]]
    const length = Math.max(...range.map((each) => each.offset + each.length)) - first.offset
    const bytes = await packs.read([first.pack, first.offset, length])
    for (const piece of range) {
      const start = piece.offset - first.offset
      await write(piece, bytes.subarray(start, start + piece.length))
      if (piece !== last) await yieldToOthers()
    }
  })
  await inParallel(empty, (file) =>
    folders.use(file.folder, (dir) => installWhole(dir, file, Buffer.alloc(0))),
  )
}

function piecesOf(file: Wanted): Piece[] {
  const { parts, size } = file.node
  const isWhole = parts.length === 1 && size <= rangeBytes
  const partial = isWhole ? undefined : new PartialFile(file)
  const pieces: Piece[] = []
  let at = 0
  for (const [pack, offset, total] of parts)
    for (let from = 0; from < total; from += rangeBytes) {
      const length = Math.min(rangeBytes, total - from)
      pieces.push({ file, partial, at, pack, offset: offset + from, length })
      at += length
    }
  return pieces
}

/** Groups pieces into requests. */
function rangesOf(pieces: readonly Piece[]): [Piece, ...Piece[]][] {
  const ranges: [Piece, ...Piece[]][] = []
  let end = 0
  for (const piece of pieces.toSorted(byPlace)) {
    const current = ranges.at(-1)
    const joins =
      current !== undefined &&
      current[0].pack === piece.pack &&
      piece.offset <= end + gapBytes &&
      piece.offset + piece.length - current[0].offset <= rangeBytes
    if (joins) current.push(piece)
    else ranges.push([piece])
    end = joins ? Math.max(end, piece.offset + piece.length) : piece.offset + piece.length
  }
  return ranges
}

function byPlace(one: Piece, other: Piece): number {
  if (one.pack !== other.pack) return one.pack < other.pack ? -1 : 1
  return one.offset - other.offset
}

/** Works on all items, several at the same time. @throws Error the first failure, after all others have ended */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  const results = await Promise.allSettled(Array.from({ length: parallel }, worker))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
