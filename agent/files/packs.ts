import { createHash } from 'node:crypto'
import type { FilesPlatform } from './platform.ts'
import { LinkExpired } from './retry.ts'
import { type FolderNode, listOf } from './tree.ts'
import type { ListedEntry, Part } from './wire.ts'

/** The size of a piece of a file, and about the size of a pack. */
export const pieceBytes = 8 * 1024 * 1024

/** The maximum number of packs that are being stored at the same time, each in memory. */
const parallelStores = 4

type StoreLink = Awaited<ReturnType<FilesPlatform['packs']>>['packs'][number]

/** The number of times that a pack is stored with a new link, after the link expired. */
const links = 3

/** The packs of one change. Parts get the ids of their packs when these are stored. */
export class Packs {
  readonly #platform: FilesPlatform
  /** Content that the platform has already, by its SHA-256 in hex. */
  readonly #known: () => ReadonlyMap<string, Part>
  readonly #added = new Map<string, Part>()
  readonly #storing = new Set<Promise<void>>()
  #failure: unknown
  #open: OpenPack = newPack(0)
  #count = 0
  /** The packs that wait for a link. */
  #linkless: { bytes: number; link: PromiseWithResolvers<StoreLink> }[] = []
  #isAsking = false

  /** @param known called once, if there is content to store */
  constructor(platform: FilesPlatform, known: () => ReadonlyMap<string, Part>) {
    this.#platform = platform
    let read: ReadonlyMap<string, Part> | undefined
    this.#known = () => (read ??= known())
  }

  /** All content that was stored, by its SHA-256 in hex. */
  get added(): ReadonlyMap<string, Part> {
    return this.#added
  }

  /** Stores a piece of a file, unless the platform has it. @param bytes not changed afterwards */
  async addPiece(bytes: Buffer, sha256 = sha256Of(bytes)): Promise<Part> {
    const has = this.#known().get(sha256) ?? this.#added.get(sha256)
    if (has !== undefined && has[2] === bytes.length) return has
    const part = await this.#add(bytes)
    this.#added.set(sha256, part)
    return part
  }

  /** Stores the lists of all changed folders below a folder, then its own. */
  async addLists(folder: FolderNode): Promise<Part> {
    if (folder.tree !== undefined) return folder.tree
    for (const node of folder.entries.values())
      if (node.type === 'folder') await this.addLists(node)
    const list = listOf(folder)
    await this.#makeRoom(bytesOfList(list).length)
    // A list contains the ids of packs, so all closed packs must have theirs. The open pack's id is filled in later.
    await Promise.all(this.#storing)
    this.#throwFailure()
    folder.tree = await this.#add(list)
    return folder.tree
  }

  /** Waits until everything is stored. @throws Error the first failure */
  async finish(): Promise<void> {
    await this.#close()
    await Promise.all(this.#storing)
    this.#throwFailure()
  }

  async #add(content: Buffer | ListedEntry[]): Promise<Part> {
    const size = Buffer.isBuffer(content) ? content.length : bytesOfList(content).length
    await this.#makeRoom(size)
    const pack = this.#open
    const part: Part = [pack.id, pack.size, size]
    pack.contents.push(content)
    pack.parts.push(part)
    pack.size += size
    return part
  }

  async #makeRoom(size: number): Promise<void> {
    if (this.#open.size > 0 && this.#open.size + size > pieceBytes) await this.#close()
  }

  /** Begins to store the open pack, and waits while too many packs are being stored. */
  async #close(): Promise<void> {
    const pack = this.#open
    if (pack.size === 0) return
    this.#open = newPack(++this.#count)
    const storing = this.#store(pack)
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#storing.delete(storing))
    this.#storing.add(storing)
    while (this.#storing.size >= parallelStores) await Promise.race(this.#storing)
    this.#throwFailure()
  }

  async #store(pack: OpenPack): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const link = await this.#linkFor(pack.size)
      for (const part of pack.parts) part[0] = link.id
      // The lists are encoded now, because they contain the id of this pack. All ids have the same length.
      const contents = pack.contents.map((each) =>
        Buffer.isBuffer(each) ? each : bytesOfList(each),
      )
      const bytes = contents.length === 1 && contents[0] ? contents[0] : Buffer.concat(contents)
      try {
        return await this.#platform.store(link, bytes)
      } catch (error) {
        if (!(error instanceof LinkExpired) || attempt >= links) throw error
      }
    }
  }

  /** Returns a link for a new pack. Links that are needed at the same time are requested together. */
  #linkFor(bytes: number): Promise<StoreLink> {
    const link = Promise.withResolvers<StoreLink>()
    this.#linkless.push({ bytes, link })
    if (!this.#isAsking) void this.#askForLinks()
    return link.promise
  }

  async #askForLinks(): Promise<void> {
    this.#isAsking = true
    while (this.#linkless.length > 0) {
      const waiting = this.#linkless.splice(0)
      try {
        const { packs } = await this.#platform.packs(waiting.map(({ bytes }) => ({ bytes })))
        for (const [i, { link }] of waiting.entries()) {
          const given = packs[i]
          if (given === undefined) link.reject(new Error('the platform returned no link'))
          else link.resolve(given)
        }
      } catch (error) {
        for (const { link } of waiting) link.reject(error)
      }
    }
    this.#isAsking = false
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure
  }
}

interface OpenPack {
  /** A placeholder with the length of a pack's id. */
  id: string
  size: number
  contents: (Buffer | ListedEntry[])[]
  parts: Part[]
}

function newPack(count: number): OpenPack {
  return { id: String(count).padStart(26, '0'), size: 0, contents: [], parts: [] }
}

/** JSON escapes the halves of surrogate pairs, so every name survives. */
function bytesOfList(list: readonly ListedEntry[]): Buffer {
  return Buffer.from(JSON.stringify(list))
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
