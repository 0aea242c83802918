import { createHash } from 'node:crypto'
import type { PartialObjects } from '#shared/platform/objects/port.ts'
import { treePath } from './faults.ts'
import { newPack } from './packs.ts'
import { directBytes } from './read.ts'
import type { Part } from './tree/entry.ts'
import { openTree, type Totals } from './tree/tree.ts'

/** The size of a pack and of a piece in bytes, as a container writes them. */
const packBytes = 8 * 1024 * 1024

interface NewFile {
  /** Its names in the workspace. */
  names: readonly string[]
  size: number
  content: AsyncIterable<Uint8Array>
  /** Permission bits; undefined for the default. */
  mode?: number | undefined
  /** Epoch milliseconds. */
  mtime: number
}

/**
 * Stores files of an agent that has none yet. At most one pack is in memory. The caller commits the returned root, and
 * announces a collection before.
 */
export function newFiles(objects: PartialObjects, agentId: string) {
  const tree = openTree(async () => [], undefined, { bytes: 0, files: 0 })
  let pack = newPack()
  let size = 0

  async function flush(): Promise<void> {
    if (size > 0) await pack.store(objects, agentId)
    pack = newPack()
    size = 0
  }

  return {
    /** @returns false if a file has the name of a folder of the path, or a folder the name of the file */
    async add({ names, size: expected, content, mode, mtime }: NewFile): Promise<boolean> {
      // A link to a large file composes its pieces, and S3 requires 5 MiB of each but the last.
      if (expected > directBytes) await flush()
      const hash = createHash('sha256')
      const parts: Part[] = []
      let written = 0
      for await (const chunk of content) {
        hash.update(chunk)
        written += chunk.length
        const [id, offset, length] = pack.add(chunk)
        const last = parts.at(-1)
        if (last?.[0] === id && last[1] + last[2] === offset) last[2] += length
        else parts.push([id, offset, length])
        size += length
        if (size >= packBytes) await flush()
      }
      const file = { mtime, size: written, tag: hash.digest('hex'), parts }
      const at = treePath(names)
      if ((await tree.kind(at)) !== undefined) return false
      return tree.put(at, { ...file, ...(mode !== undefined && { mode }) })
    },

    /** Creates a folder and the folders above it. @returns false if a file has one of the names */
    async addFolder(names: readonly string[]): Promise<boolean> {
      const at = treePath(names)
      const kind = await tree.kind(at)
      if (kind !== undefined) return kind === 'folder'
      const inside = [...at, 'new']
      if (!(await tree.put(inside, { mtime: Date.now(), size: 0, tag: 'new', parts: [] })))
        return false
      return tree.remove(inside)
    },

    /** Stores the rest. @returns the root and its totals; undefined if nothing was added */
    async finish(): Promise<(Totals & { root: Part }) | undefined> {
      if ((await tree.kind(treePath([]))) === undefined) return undefined
      await flush()
      const root = await tree.write(pack.add)
      size = root[1] + root[2]
      await flush()
      return { root, ...tree.totals() }
    },
  }
}
