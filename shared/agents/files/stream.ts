import type { PartialObjects } from '#shared/platform/objects/port.ts'
import { packKey } from './packs.ts'
import type { Part } from './tree/entry.ts'

/** The bytes that are read at once. Small files are usually beside each other in a pack. */
const windowBytes = 4 * 1024 * 1024

/** The number of windows in memory. */
const windowsKept = 4

interface Window {
  pack: string
  from: number
  bytes: Uint8Array
}

/** Reads many files of an agent one after the other, with bounded memory. */
export function fileStreams(objects: PartialObjects, agentId: string) {
  const windows: Window[] = []

  async function windowAt(pack: string, offset: number, least: number): Promise<Window> {
    const has = windows.find(
      (one) =>
        one.pack === pack &&
        one.from <= offset &&
        offset + Math.min(least, windowBytes) <= one.from + one.bytes.length,
    )
    if (has !== undefined) return has
    const part = { key: packKey(agentId, pack), offset, length: windowBytes }
    const bytes = await objects.getPart(part)
    if (bytes === undefined || bytes.length === 0)
      throw new Error(`the pack ${pack} of ${agentId} is incomplete`)
    const read = { pack, from: offset, bytes }
    windows.unshift(read)
    windows.length = Math.min(windows.length, windowsKept)
    return read
  }

  return async function* stream(parts: readonly Part[]): AsyncGenerator<Uint8Array> {
    for (const [pack, offset, length] of parts) {
      let at = offset
      const end = offset + length
      while (at < end) {
        const { from, bytes } = await windowAt(pack, at, end - at)
        const piece = bytes.subarray(at - from, Math.min(end - from, bytes.length))
        if (piece.length === 0) throw new Error(`the pack ${pack} of ${agentId} is incomplete`)
        yield piece
        at += piece.length
      }
    }
  }
}
