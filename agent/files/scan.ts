import { type BigIntStats, lstatSync } from 'node:fs'
import { readdir, readlink, unlink } from 'node:fs/promises'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { beginsAsDatabase, readContent, withLogStat } from './content.ts'
import { codeOf, type Directory, ifThere } from './directory.ts'
import { byBytes, isExcluded, isTemporary, nameOf } from './names.ts'
import type { Packs } from './packs.ts'
import { companions } from './sqlite.ts'
import { modeOf, mtimeOf } from './stat.ts'
import {
  defaultModes,
  type FileNode,
  type FolderNode,
  folderOf,
  newFolder,
  type Node,
  sameContent,
  withEntry,
} from './tree.ts'

/** The longest time that a scan keeps the event loop, in milliseconds. */
const turnMs = 5

/**
 * After this time, a scan reads no further content, so that what it has is committed: the platform removes a pack that
 * is not committed within an hour.
 */
const readingMs = 10 * 60_000

/** Deeper folders are left out: each level needs an open descriptor. No path of the platform's routes has more names. */
const deepest = 2048

/** The numbers of files that a scan did not store, by reason. */
export interface Omitted {
  /** New files beyond the limit. */
  beyondLimit: number
  /** Files and folders that must not be read. */
  unreadable: number
  /** Databases that a program locked. */
  locked: number
  /** Changed files that the next scan must read, because this one took too long. */
  later: number
}

/** Finds what changed on the disk since a tree, and stores the content of changed files. */
export class Scan {
  readonly #packs: Packs
  readonly omitted: Omitted = { beyondLimit: 0, unreadable: 0, locked: 0, later: 0 }
  /** The number of files that may be added. */
  #room: number
  #turnEndsAt = performance.now() + turnMs
  readonly #readsUntil: number
  #hasRead = false

  /** @param room the number of files that may be added */
  constructor(packs: Packs, room: number, longestMs = readingMs) {
    this.#packs = packs
    this.#room = room
    this.#readsUntil = performance.now() + longestMs
  }

  /** Scans everything. @returns `base` itself if nothing changed */
  async all(root: Directory, base: FolderNode): Promise<FolderNode> {
    return this.#folder({ dir: root, names: [], ...rootFields }, base, 'deep')
  }

  /**
   * Scans one path: a file, or the direct entries of a folder.
   * @returns `base` itself if nothing changed
   */
  async path(root: Directory, names: readonly string[], base: FolderNode): Promise<FolderNode> {
    return this.#path({ dir: root, names: [], rest: names, ...rootFields }, base)
  }

  async #path(at: PathPlace, base: FolderNode): Promise<FolderNode> {
    const { dir, names, rest } = at
    const [name, ...others] = rest
    if (name === undefined) return this.#folder(at, base, 'direct')
    if (isExcluded([...names, name])) return base
    const before = base.entries.get(name)
    const stat = statAt(dir, name)
    if (stat?.isDirectory()) {
      const known = before?.type === 'folder' ? before : undefined
      const node = await this.#below(dir, name, known, async (child) => {
        const fields = folderFields(stat)
        const place = { dir: child, names: [...names, name], rest: others, ...fields }
        return this.#path(place, known ?? newFolder(fields))
      })
      return withEntry(base, name, node)
    }
    const siblings = { has: (other: string) => statAt(dir, other) !== undefined }
    const node = stat && (await this.#leaf({ dir, name, stat, siblings }, before))
    return withEntry(base, name, node)
  }

  /** @param depth `direct` leaves the content of subfolders as it was */
  async #folder(
    place: FolderPlace,
    base: FolderNode | undefined,
    depth: 'deep' | 'direct',
  ): Promise<FolderNode> {
    const { dir, names, mode, mtime } = place
    const found = (await readdir(dir.self, { encoding: 'buffer' })).map(nameOf).sort(byBytes)
    const siblings = new Set(found)
    const entries = new Map<string, Node>()
    for (const [name, node] of base?.entries ?? [])
      // A user can give a file such a name through the API. The disk never has it.
      if (isExcluded([...names, name])) entries.set(name, node)
      else if (!siblings.has(name)) this.#room += countOf(node)
    for (const name of found) {
      // No restore is running, so it is left from one that was killed.
      if (isTemporary(name)) await ifThere(unlink(dir.at(name)))
      if (isExcluded([...names, name])) continue
      await this.#maybeYield()
      const stat = statAt(dir, name)
      const before = base?.entries.get(name)
      const node = stat?.isDirectory()
        ? await this.#subfolder({ dir, names, name, stat }, before, depth)
        : stat && (await this.#leaf({ dir, name, stat, siblings }, before))
      if (node !== undefined) entries.set(name, node)
    }
    const isSame =
      base !== undefined &&
      base.mode === mode &&
      base.entries.size === entries.size &&
      [...entries].every(([name, node]) => base.entries.get(name) === node)
    return isSame ? base : folderOf({ mode, mtime }, entries)
  }

  async #subfolder(
    {
      dir,
      names,
      name,
      stat,
    }: { dir: Directory; names: string[]; name: string; stat: BigIntStats },
    before: Node | undefined,
    depth: 'deep' | 'direct',
  ): Promise<FolderNode | undefined> {
    const known = before?.type === 'folder' ? before : undefined
    const fields = folderFields(stat)
    if (depth === 'direct') return known ?? newFolder(fields)
    if (names.length >= deepest) {
      this.omitted.unreadable++
      return known
    }
    return this.#below(dir, name, known, (child) =>
      this.#folder({ dir: child, names: [...names, name], ...fields }, known, 'deep'),
    )
  }

  /** Opens a subfolder. @returns what is known of it if it must not be read; undefined if it is gone */
  async #below(
    dir: Directory,
    name: string,
    known: FolderNode | undefined,
    work: (child: Directory) => Promise<FolderNode>,
  ): Promise<FolderNode | undefined> {
    try {
      const child = await ifThere(dir.open(name))
      if (child === undefined) return undefined
      await using opened = child
      return await work(opened)
    } catch (error) {
      if (!isForbidden(error)) throw error
      this.omitted.unreadable++
      return known ?? newFolder()
    }
  }

  /** @returns undefined for what is not stored: devices, sockets, pipes, and what is gone */
  async #leaf(place: LeafPlace, before: Node | undefined): Promise<Node | undefined> {
    const { dir, name, stat } = place
    if (stat.isSymbolicLink()) {
      const target = await ifThere(readlink(dir.at(name), { encoding: 'buffer' }))
      if (target === undefined) return undefined
      const text = nameOf(target)
      if (before?.type === 'link' && before.target === text) return before
      return { type: 'link', mode: undefined, mtime: mtimeOf(stat), target: text }
    }
    if (!stat.isFile() || (await isCompanion(place))) return undefined
    const known = before?.type === 'file' ? before : undefined
    if (known?.stat !== undefined && known.stat === currentStat(place)) return known
    if (known === undefined && this.#room <= 0) {
      this.omitted.beyondLimit++
      return undefined
    }
    if (this.#hasRead && performance.now() > this.#readsUntil) {
      this.omitted.later++
      return known
    }
    this.#hasRead = true
    const node = await this.#read(dir, name, known)
    if (node !== undefined && known === undefined) this.#room--
    if (node === undefined && known !== undefined) this.#room++
    return node
  }

  async #read(
    dir: Directory,
    name: string,
    known: FileNode | undefined,
  ): Promise<FileNode | undefined> {
    try {
      const node = await readContent(dir, name, this.#packs)
      if (node === 'locked') {
        this.omitted.locked++
        return known
      }
      if (known === undefined || node === undefined || !isSameFile(known, node)) return node
      known.stat = node.stat
      known.pieces ??= node.pieces
      return known
    } catch (error) {
      if (!isForbidden(error)) throw error
      this.omitted.unreadable++
      return known
    }
  }

  async #maybeYield(): Promise<void> {
    if (performance.now() < this.#turnEndsAt) return
    await yieldToOthers()
    this.#turnEndsAt = performance.now() + turnMs
  }
}

interface FolderPlace {
  dir: Directory
  names: string[]
  mode: number | undefined
  mtime: number
}

interface PathPlace extends FolderPlace {
  /** The names below the folder. */
  rest: readonly string[]
}

interface LeafPlace {
  dir: Directory
  name: string
  stat: BigIntStats
  /** The names in the folder. */
  siblings: Pick<ReadonlySet<string>, 'has'>
}

const rootFields = { mode: undefined, mtime: 0 }

function folderFields(stat: BigIntStats) {
  return { mode: modeOf(stat, defaultModes.folder), mtime: mtimeOf(stat) }
}

/** Synchronous, because a scan asks for every file, and an asynchronous call takes ten times as long. */
function statAt(dir: Directory, name: string): BigIntStats | undefined {
  return lstatSync(dir.at(name), { bigint: true, throwIfNoEntry: false })
}

function currentStat({ dir, name, stat, siblings }: LeafPlace): string {
  const log = siblings.has(`${name}-wal`) ? statAt(dir, `${name}-wal`) : undefined
  return withLogStat(stat, log)
}

/** Returns whether a file belongs to a database beside it, whose copy contains what the file adds. */
async function isCompanion({ dir, name, siblings }: LeafPlace): Promise<boolean> {
  const companion = companions.find((end) => name.endsWith(end))
  if (companion === undefined) return false
  const database = name.slice(0, -companion.length)
  return siblings.has(database) && (await beginsAsDatabase(dir, database))
}

function isSameFile(one: FileNode, other: FileNode): boolean {
  return sameContent(one, other) && one.mode === other.mode && one.mtime === other.mtime
}

function countOf(node: Node): number {
  return node.type === 'folder' ? node.files : Number(node.type === 'file')
}

function isForbidden(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(codeOf(error) ?? '')
}
