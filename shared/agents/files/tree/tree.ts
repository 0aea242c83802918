import { byBytes } from '#shared/platform/folder/names.ts'
import { type Entry, encodeEntries, type FileEntry, type FolderEntry, type Part } from './entry.ts'

/** Returns the entries of a stored list. */
export type ReadList = (tree: Part) => Promise<Entry[]>

export interface Totals {
  /** The total size of all files. */
  bytes: number
  files: number
}

/** An entry that is not a folder. */
type Leaf = Exclude<Entry, FolderEntry>

/** A folder in memory. Its entries are read on demand; `tree` is undefined after a change. */
interface Folder extends Totals {
  type: 'folder'
  mode: number | undefined
  mtime: number
  tree: Part | undefined
  entries: Map<string, Folder | Leaf> | undefined
}

export interface Tree {
  totals(): Totals
  /** Returns the type of the entry; undefined if nothing exists there. */
  kind(names: readonly string[]): Promise<Entry['type'] | undefined>
  /** Returns a file, or `folder`; undefined if neither exists there. */
  find(names: readonly string[]): Promise<FileEntry | 'folder' | undefined>
  /** @returns the entries sorted by the bytes of their names; undefined if it is not a folder */
  list(names: readonly string[]): Promise<Listed[] | undefined>
  /**
   * Writes a file and the missing folders above it, and replaces a file or a link there.
   * @returns false, without a change, if the path is a folder, or a name above it is not one
   */
  put(names: readonly string[], file: Omit<FileEntry, 'name' | 'type'>): Promise<boolean>
  /** Removes a file, a link, or a folder with its content. @returns false if nothing exists there */
  remove(names: readonly string[]): Promise<boolean>
  /**
   * Moves a file or a folder, and replaces what exists at `to`.
   * @returns false, without a change, if nothing exists at `from`, or a name above `to` is not a folder
   */
  move(from: readonly string[], to: readonly string[], now: number): Promise<boolean>
  /** Stores the changed lists. @param store stores the bytes of one list @returns the root */
  write(store: (bytes: Uint8Array) => Promise<Part> | Part): Promise<Part>
}

/** An entry as routes list it. */
export type Listed = Pick<Entry, 'name' | 'mtime'> &
  ({ type: 'file'; size: number; tag: string } | { type: 'folder' | 'link' })

/**
 * Opens a tree of files: a list for each folder, which refers to the lists of its subfolders. Lists are immutable. A
 * change writes new lists from its folder up to the root, and all others are shared with earlier roots, so a root is a
 * complete moment of all files.
 * @param root undefined for an empty tree
 */
export function openTree(read: ReadList, root: Part | undefined, totals: Totals): Tree {
  const top: Folder = {
    type: 'folder',
    mode: undefined,
    mtime: 0,
    tree: root,
    entries: root === undefined ? new Map() : undefined,
    ...totals,
  }

  async function entriesOf(folder: Folder): Promise<Map<string, Folder | Leaf>> {
    if (folder.entries !== undefined) return folder.entries
    const list = folder.tree === undefined ? [] : await read(folder.tree)
    folder.entries = new Map(
      list.map((entry) => [
        entry.name,
        entry.type === 'folder' ? { ...entry, mode: entry.mode, entries: undefined } : entry,
      ]),
    )
    return folder.entries
  }

  async function nodeAt(names: readonly string[]): Promise<Folder | Leaf | undefined> {
    let node: Folder | Leaf | undefined = top
    for (const name of names) {
      if (node?.type !== 'folder') return undefined
      node = (await entriesOf(node)).get(name)
    }
    return node
  }

  /** Returns the folders from the root to a folder. @returns undefined if a name is not a folder, or missing */
  async function chainTo(names: readonly string[], make?: number): Promise<Folder[] | undefined> {
    let folder = top
    const chain = [top]
    for (const name of names) {
      const entries: Map<string, Folder | Leaf> = await entriesOf(folder)
      const next: Folder | Leaf | undefined =
        entries.get(name) ?? (make === undefined ? undefined : newFolder(make))
      if (next?.type !== 'folder') return undefined
      folder = next
      chain.push(folder)
    }
    return chain
  }

  /** Replaces one entry, and marks the folders above it as changed. @param node undefined to remove it */
  async function set(names: readonly string[], node: Folder | Leaf | undefined, now: number) {
    const chain = await chainTo(names.slice(0, -1), now)
    if (chain === undefined) return false
    const name = names.at(-1) ?? ''
    for (const [i, folder] of chain.entries()) {
      const next = chain[i + 1]
      // A folder that was created on the way is not yet among the entries of its parent.
      if (next !== undefined) (await entriesOf(folder)).set(names[i] ?? '', next)
    }
    const parent = chain.at(-1) ?? top
    const entries = await entriesOf(parent)
    const [less, more] = [totalsOf(entries.get(name)), totalsOf(node)]
    if (node === undefined) entries.delete(name)
    else entries.set(name, node)
    parent.mtime = now
    for (const folder of chain) {
      folder.tree = undefined
      folder.bytes += more.bytes - less.bytes
      folder.files += more.files - less.files
    }
    return true
  }

  return {
    totals: () => ({ bytes: top.bytes, files: top.files }),

    kind: async (names) => (await nodeAt(names))?.type,

    async find(names) {
      const node = await nodeAt(names)
      if (node?.type === 'folder') return 'folder'
      return node?.type === 'file' ? node : undefined
    },

    async list(names) {
      const folder = await nodeAt(names)
      if (folder?.type !== 'folder') return undefined
      const entries = [...(await entriesOf(folder))].map(([name, node]): Listed =>
        node.type === 'file'
          ? { name, mtime: node.mtime, type: 'file', size: node.size, tag: node.tag }
          : { name, mtime: node.mtime, type: node.type },
      )
      return entries.sort((one, other) => byBytes(one.name, other.name))
    },

    async put(names, file) {
      if ((await nodeAt(names))?.type === 'folder') return false
      return set(names, { ...file, name: names.at(-1) ?? '', type: 'file' }, file.mtime)
    },

    async remove(names) {
      if (names.length === 0 || (await nodeAt(names)) === undefined) return false
      return set(names, undefined, Date.now())
    },

    async move(from, to, now) {
      const node = await nodeAt(from)
      if (node === undefined || from.length === 0 || to.length === 0) return false
      if ((await chainTo(to.slice(0, -1), now)) === undefined) return false
      await set(from, undefined, now)
      return set(to, node.type === 'folder' ? node : { ...node, name: to.at(-1) ?? '' }, now)
    },

    write: (store) => writeFolder(top, store),
  }
}

/** Stores the lists of a folder's changed subfolders, then its own. */
async function writeFolder(
  folder: Folder,
  store: (bytes: Uint8Array) => Promise<Part> | Part,
): Promise<Part> {
  if (folder.tree !== undefined) return folder.tree
  const entries: Entry[] = []
  const nodes = [...(folder.entries ?? [])].sort(([one], [other]) => byBytes(one, other))
  for (const [name, node] of nodes)
    if (node.type === 'folder') {
      const { mode, mtime, bytes, files } = node
      const tree = await writeFolder(node, store)
      const bits = mode === undefined ? {} : { mode }
      entries.push({ name, type: 'folder', ...bits, mtime, tree, bytes, files })
    } else entries.push(node)
  folder.tree = await store(encodeEntries(entries))
  return folder.tree
}

function newFolder(mtime: number): Folder {
  const totals = { bytes: 0, files: 0 }
  return { type: 'folder', mode: undefined, mtime, tree: undefined, entries: new Map(), ...totals }
}

function totalsOf(node: Folder | Leaf | undefined): Totals {
  if (node?.type === 'folder') return node
  return node?.type === 'file' ? { bytes: node.size, files: 1 } : { bytes: 0, files: 0 }
}
