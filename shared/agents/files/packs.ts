import { newSeed } from '#shared/platform/ids.ts'
import type { PartialObjects } from '#shared/platform/objects/port.ts'
import { decodeEntries, type Part } from './tree/entry.ts'
import type { ReadList } from './tree/tree.ts'

/** The prefix of all objects of an agent. */
export function packsPrefix(agentId: string): string {
  return `files/${agentId}/`
}

/** Returns the key of a pack. */
export function packKey(agentId: string, packId: string): string {
  return packsPrefix(agentId) + packId
}

/**
 * The bytes that are read together with a list. A commit stores the lists of all changed folders one after the other
 * and the root last, so one request usually returns the lists of a whole path.
 */
const readBehind = 256 * 1024

/** The maximum size of a list in bytes. A folder with all files of an agent has a shorter list. */
const longestList = 64 * 1024 * 1024

/** The maximum number of packs in a reader's memory, each in part. */
const packsKept = 64

/** A path has at most 4,096 bytes, and so at most this many folders below the top one: contract.md 16. */
export const deepestFolder = 2048

/** A list or a pack of an agent's files is not valid. A container sent it. */
export class DamagedFiles extends Error {
  override name = 'DamagedFiles'
}

/** Reads packs. What was read of the last packs is kept, because packs do not change. */
export function packReader(objects: PartialObjects, agentId: string) {
  const read = async (pack: string, offset: number, length: number): Promise<Uint8Array> => {
    const bytes = await objects.getPart({ key: packKey(agentId, pack), offset, length })
    if (bytes?.length !== length) throw new DamagedFiles(`the pack ${pack} is incomplete`)
    return bytes
  }
  const known = new Map<string, { from: number; bytes: Uint8Array }>()
  const readList: ReadList = async ([pack, offset, length]) => {
    if (length > longestList) throw new DamagedFiles(`a list has ${length} bytes`)
    let has = known.get(pack)
    if (has === undefined || offset < has.from || offset + length > has.from + has.bytes.length) {
      const from = Math.max(0, Math.min(offset, offset + length - readBehind))
      has = { from, bytes: await read(pack, from, offset + length - from) }
      known.delete(pack)
      known.set(pack, has)
      const [oldest] = known.keys()
      if (known.size > packsKept && oldest !== undefined) known.delete(oldest)
    }
    try {
      return decodeEntries(has.bytes.subarray(offset - has.from, offset - has.from + length))
    } catch (cause) {
      throw new DamagedFiles('a list is not valid', { cause })
    }
  }
  return {
    readList,
    /** Reads `length` bytes of a file from an offset. */
    async readFile(parts: readonly Part[], from: number, length: number): Promise<Buffer> {
      const pieces: Promise<Uint8Array>[] = []
      let at = 0
      for (const [pack, offset, size] of parts) {
        const start = Math.max(from, at)
        const end = Math.min(from + length, at + size)
        if (start < end) pieces.push(read(pack, offset + start - at, end - start))
        at += size
      }
      return Buffer.concat(await Promise.all(pieces))
    },
  }
}

/** A new pack in memory. */
export function newPack() {
  const id = newSeed()
  const pieces: Uint8Array[] = []
  let size = 0
  return {
    add(bytes: Uint8Array): Part {
      pieces.push(bytes)
      size += bytes.length
      return [id, size - bytes.length, bytes.length]
    },
    store: (objects: PartialObjects, agentId: string) =>
      objects.put(packKey(agentId, id), Buffer.concat(pieces)),
  }
}
