import type { FilesPlatform } from './platform.ts'
import { LinkExpired } from './retry.ts'
import { type FolderNode, newFolder, type Node } from './tree.ts'
import { listSchema, type Opened, type Part } from './wire.ts'

/** The maximum number of links in one request. */
const linksAtOnce = 1000

/** A link is not used in the last seconds of its validity. */
const marginMs = 15_000

/** The number of times that a part is requested with a new link, after the link expired. */
const attempts = 6

/** The number of lists that are read at the same time. */
const parallelLists = 16

/** A commit stores its lists one after the other, so the lists of subfolders usually precede a list. */
const readBehind = 256 * 1024

/** Reads packs of the platform. */
export class StoredPacks {
  readonly #platform: FilesPlatform
  readonly #links = new Map<string, { url: string; expiresAt: number }>()
  readonly #wanted = new Set<string>()
  #asking: Promise<void> | undefined

  constructor(platform: FilesPlatform) {
    this.#platform = platform
  }

  /** Announces packs that will be read, so that their links are requested together. */
  expect(packs: Iterable<string>): void {
    for (const pack of packs) if (!this.#links.has(pack)) this.#wanted.add(pack)
  }

  /** Reads a part of a pack. @throws Error if it cannot be read after several attempts */
  async read([pack, offset, length]: Part): Promise<Buffer> {
    for (let attempt = 1; ; attempt++) {
      const url = await this.#linkOf(pack)
      try {
        return await this.#platform.read(url, offset, length)
      } catch (error) {
        if (!(error instanceof LinkExpired) || attempt >= attempts) throw error
        if (this.#links.get(pack)?.url === url) this.#links.delete(pack)
      }
    }
  }

  async #linkOf(pack: string): Promise<string> {
    for (;;) {
      const link = this.#links.get(pack)
      if (link !== undefined && link.expiresAt - marginMs > Date.now()) return link.url
      this.#links.delete(pack)
      this.#wanted.add(pack)
      this.#asking ??= this.#ask(pack).finally(() => (this.#asking = undefined))
      await this.#asking
    }
  }

  async #ask(first: string): Promise<void> {
    const others = [...this.#wanted].filter((pack) => pack !== first).slice(0, linksAtOnce - 1)
    const { links, expiresAt } = await this.#platform.links([first, ...others])
    // A clock that differs from the platform's must not make a fresh link look expired.
    const usableUntil = Math.max(expiresAt, Date.now() + 2 * marginMs)
    for (const { id, url } of links) {
      this.#links.set(id, { url, expiresAt: usableUntil })
      this.#wanted.delete(id)
    }
    if (!this.#links.has(first)) throw new Error(`the platform returned no link for ${first}`)
  }
}

/**
 * Reads the lists of a tree.
 * @param known folders that are in memory already, by the key of their list: `listKey`
 */
export async function readTree(
  packs: StoredPacks,
  { root, bytes, files }: Pick<Opened, 'root' | 'bytes' | 'files'>,
  known: ReadonlyMap<string, FolderNode>,
): Promise<FolderNode> {
  if (root === null) return newFolder()
  const blocks = new Map<string, { from: number; bytes: Promise<Buffer> }>()
  let running = 0
  const queue: (() => void)[] = []
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= parallelLists) await new Promise<void>((resolve) => queue.push(resolve))
    running++
    try {
      return await work()
    } finally {
      running--
      queue.shift()?.()
    }
  }
  const readList = ([pack, offset, length]: Part): Promise<Buffer> =>
    inTurn(async () => {
      let block = blocks.get(pack)
      if (
        block === undefined ||
        offset < block.from ||
        offset + length > block.from + (await block.bytes).length
      ) {
        const from = Math.max(0, Math.min(offset, offset + length - readBehind))
        block = { from, bytes: packs.read([pack, from, offset + length - from]) }
        blocks.set(pack, block)
      }
      const start = offset - block.from
      return (await block.bytes).subarray(start, start + length)
    })
  const readFolder = async (
    tree: Part,
    fields: Pick<FolderNode, 'mode' | 'mtime' | 'bytes' | 'files'>,
  ): Promise<FolderNode> => {
    const same = known.get(listKey(tree))
    if (same !== undefined) return { ...same, ...fields }
    const list = listSchema.parse(JSON.parse((await readList(tree)).toString()))
    packs.expect(list.flatMap((entry) => (entry.type === 'folder' ? [entry.tree[0]] : [])))
    const entries = await Promise.all(
      list.map(async (entry): Promise<[string, Node]> => {
        const { name, mode, mtime } = entry
        if (entry.type === 'link')
          return [name, { type: 'link', mode, mtime, target: entry.target }]
        if (entry.type === 'folder') return [name, await readFolder(entry.tree, { ...entry, mode })]
        const { size, tag, parts } = entry
        const ofDisk = { stat: undefined, pieces: undefined }
        return [name, { type: 'file', mode, mtime, size, tag, parts, ...ofDisk }]
      }),
    )
    const { mode, mtime, bytes, files } = fields
    return { type: 'folder', mode, mtime, tree, entries: new Map(entries), bytes, files }
  }
  packs.expect([root[0]])
  return readFolder(root, { mode: undefined, mtime: 0, bytes, files })
}

/** Returns a key of a folder's stored list. */
export function listKey(tree: Part): string {
  return tree.join(' ')
}
