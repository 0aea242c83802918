import { applyDifference } from './apply.ts'
import { codeOf, type Directory } from './directory.ts'
import { markCommitted, type Marker, writeMarker } from './marker.ts'
import { mergeTrees } from './merge.ts'
import { markerName } from './names.ts'
import { Packs } from './packs.ts'
import type { Commit, FilesPlatform } from './platform.ts'
import { removeAll } from './remove.ts'
import { FilesError } from './retry.ts'
import { type Omitted, Scan } from './scan.ts'
import { listKey, readTree, StoredPacks } from './stored.ts'
import { type FolderNode, samePart } from './tree.ts'
import type { Opened, Part } from './wire.ts'

/** The number of times that a change is committed again, after another commit was first. */
const rounds = 5

/** Stored content that no commit refers to is used again for this long. The platform may remove it after an hour. */
const reuseMs = 20 * 60_000

/** For the same reason, content is not committed longer than this after it was stored or used again. */
const committedWithinMs = 35 * 60_000

/** After a disk had no room for a version, it is written again after this time, or when the version changes. */
const fullMs = 10 * 60_000

/** The system's codes of a disk without room. */
const full = new Set<unknown>(['ENOSPC', 'EDQUOT'])

/** The files that this disk and the platform have in common. */
export interface Common extends Pick<Opened, 'origin' | 'version'> {
  tree: FolderNode
}

/** Brings the disk and the platform to the same state. Only one call of `run` may run at a time. */
export class Syncer {
  readonly #root: Directory
  readonly #platform: FilesPlatform
  readonly #readingMs: number | undefined
  #common: Common
  /** The version that the disk had no room for, and the time of the last attempt in epoch milliseconds. */
  #unwritten: { version: number; at: number } | undefined
  /** Content that was stored for commits that failed, by its SHA-256, and the earliest time when it was stored. */
  #stored: ReadonlyMap<string, { part: Part; at: number }> = new Map()

  constructor(root: Directory, platform: FilesPlatform, common: Common, readingMs?: number) {
    this.#root = root
    this.#platform = platform
    this.#common = common
    this.#readingMs = readingMs
  }

  /**
   * Takes over what the platform has newer, then commits what the disk has newer.
   * @param path the names of a file, or of a folder whose direct entries count; undefined for everything
   * @returns the version of the files, and what the scan left out
   * @throws FilesError FILES_HELD if a later container has the files; any error if the platform cannot be reached
   */
  async run(
    path: readonly string[] | undefined,
    release = false,
  ): Promise<{ version: number; omitted: Omitted }> {
    for (let overtaken = 0; ;) {
      const opened = await this.#platform.open()
      const ahead = await this.#pull(opened)
      try {
        const pushed = await this.#push(path, { release, fileLimit: opened.fileLimit, ahead })
        if (pushed.omitted.later === 0) return pushed
      } catch (error) {
        const isOvertaken = error instanceof FilesError && error.code === 'FILES_CHANGED'
        if (!isOvertaken || ++overtaken >= rounds) throw error
      }
    }
  }

  /** @returns the state of the platform if the disk has no room for it */
  async #pull(opened: Opened): Promise<Common | undefined> {
    const { origin, version } = opened
    const { tree } = this.#common
    if (origin !== this.#common.origin)
      // A restore stops the agent first. This container is not the one that the files are for.
      throw new FilesError('FILES_HELD', 'all files were replaced')
    if (version === this.#common.version) return undefined
    if (samePart(opened.root, tree.tree)) {
      this.#common = { origin, version, tree }
      return undefined
    }
    const packs = new StoredPacks(this.#platform)
    const current = await readTree(packs, opened, foldersByList(tree))
    const ahead = { origin, version, tree: current }
    const last = this.#unwritten
    if (last?.version === version && Date.now() < last.at + fullMs) return ahead
    try {
      await applyDifference(this.#root, packs, { base: tree, current })
    } catch (error) {
      if (!full.has(codeOf(error))) throw error
      this.#unwritten = { version, at: Date.now() }
      return ahead
    }
    this.#unwritten = undefined
    this.#common = ahead
    await this.#mark(this.#common, true)
    return undefined
  }

  async #push(
    path: readonly string[] | undefined,
    {
      release,
      fileLimit,
      ahead,
    }: { release: boolean; fileLimit: number; ahead: Common | undefined },
  ): Promise<{ version: number; omitted: Omitted }> {
    const { tree } = this.#common
    const stored = ahead ?? this.#common
    const { origin, version } = stored
    const startedAt = Date.now()
    const packs = new Packs(this.#platform, () => this.#knownParts(stored.tree))
    const scan = new Scan(packs, fileLimit - stored.tree.files, this.#readingMs)
    const found = await (path === undefined
      ? scan.all(this.#root, tree)
      : scan.path(this.#root, path, tree))
    const { next, common } =
      ahead === undefined ? { next: found, common: found } : mergeTrees(tree, found, ahead.tree)
    const { omitted } = scan
    const isLast = release && omitted.later === 0
    if (next === stored.tree && !isLast) return { version, omitted }
    if (next !== stored.tree && next.entries.size > 0) await packs.addLists(next)
    await packs.finish()
    const added = [...packs.added].map(([hash, part]) => [hash, { part, at: startedAt }] as const)
    this.#stored = new Map([...this.#reusable(), ...added])
    if (Date.now() > startedAt + committedWithinMs)
      throw new Error('the content took too long to store')
    const isMarked =
      ahead === undefined &&
      next !== tree &&
      (await this.#mark({ origin, version: version + 1, tree: next }, false))
    const commit: Commit = { base: version, root: next.tree ?? null, ...totalsOf(next) }
    const committed = await this.#platform.commit(isLast ? { ...commit, release } : commit)
    this.#common =
      ahead === undefined
        ? { origin, version: committed, tree: next }
        : { ...this.#common, tree: common }
    // The own changes need no room on the disk.
    if (this.#unwritten !== undefined) this.#unwritten.version = committed
    this.#stored = new Map()
    if (isMarked) await markCommitted(this.#root)
    return { version: committed, omitted }
  }

  /** Returns all content that need not be stored again. */
  #knownParts(tree: FolderNode): ReadonlyMap<string, Part> {
    const known = new Map(this.#reusable().map(([hash, { part }]) => [hash, part]))
    const add = (folder: FolderNode) => {
      for (const node of folder.entries.values())
        if (node.type === 'folder') add(node)
        else if (node.type === 'file') {
          const hashes = node.parts.length === 1 ? [node.tag] : (node.pieces ?? [])
          for (const [i, hash] of hashes.entries()) {
            const part = node.parts[i]
            if (part !== undefined) known.set(hash, part)
          }
        }
    }
    add(tree)
    return known
  }

  #reusable() {
    return [...this.#stored].filter(([, { at }]) => Date.now() - at < reuseMs)
  }

  /**
   * @returns false if the disk is full. Then no marker is better than an old one: the next start removes nothing, and
   * the files can be stored nevertheless.
   */
  async #mark({ origin, version, tree }: Common, committed: boolean): Promise<boolean> {
    const marker: Marker = { origin, version, committed, root: tree.tree, tree }
    try {
      await writeMarker(this.#root, marker)
      return true
    } catch (error) {
      if (!full.has(codeOf(error))) throw error
      await removeAll(this.#root, markerName)
      return false
    }
  }
}

function totalsOf({ bytes, files }: FolderNode) {
  return { bytes, files }
}

/** Returns all folders of a tree by the keys of their lists. */
export function foldersByList(tree: FolderNode): ReadonlyMap<string, FolderNode> {
  const folders = new Map<string, FolderNode>()
  const add = (folder: FolderNode) => {
    if (folder.tree !== undefined) folders.set(listKey(folder.tree), folder)
    for (const node of folder.entries.values()) if (node.type === 'folder') add(node)
  }
  add(tree)
  return folders
}
