import { byBytes } from './names.ts'
import type { ListedEntry, Part } from './wire.ts'

interface Common {
  /** Permission bits; undefined for the default. */
  mode: number | undefined
  /** Epoch milliseconds. */
  mtime: number
}

export interface FileNode extends Common {
  type: 'file'
  size: number
  tag: string
  parts: Part[]
  /** The state of the file on this disk when it had this content: `statOf`. Undefined if unknown. */
  stat: string | undefined
  /** The SHA-256 of each part, if the file has several and they are known. */
  pieces: string[] | undefined
}

export interface LinkNode extends Common {
  type: 'link'
  target: string
}

/** A folder in memory. Nodes are not changed after they are part of a tree, except for `stat` and `tree`. */
export interface FolderNode extends Common {
  type: 'folder'
  /** Its stored list; undefined after a change. */
  tree: Part | undefined
  entries: ReadonlyMap<string, Node>
  /** The total size and the number of all files below it. */
  bytes: number
  files: number
}

export type Node = FileNode | FolderNode | LinkNode

export const defaultModes = { file: 0o644, folder: 0o755 }

/** Returns a folder with these entries. */
export function folderOf(
  fields: Pick<FolderNode, 'mode' | 'mtime'>,
  entries: ReadonlyMap<string, Node>,
): FolderNode {
  let [bytes, files] = [0, 0]
  for (const node of entries.values()) {
    if (node.type === 'file') [bytes, files] = [bytes + node.size, files + 1]
    if (node.type === 'folder') [bytes, files] = [bytes + node.bytes, files + node.files]
  }
  return { type: 'folder', ...fields, tree: undefined, entries, bytes, files }
}

/** Returns an empty folder. @param fields default: the mode and date of the root */
export function newFolder(
  fields: Pick<FolderNode, 'mode' | 'mtime'> = { mode: undefined, mtime: 0 },
): FolderNode {
  return folderOf(fields, new Map())
}

/** Returns a folder with one entry replaced. @param node undefined to remove the entry */
export function withEntry(folder: FolderNode, name: string, node: Node | undefined): FolderNode {
  if (folder.entries.get(name) === node) return folder
  const entries = new Map(folder.entries)
  if (node === undefined) entries.delete(name)
  else entries.set(name, node)
  return folderOf(folder, entries)
}

/** Returns the entries as the platform stores them. @throws Error if a subfolder has no stored list */
export function listOf(folder: FolderNode): ListedEntry[] {
  const entries: ListedEntry[] = []
  for (const [name, node] of [...folder.entries].sort(([one], [other]) => byBytes(one, other))) {
    const { mtime } = node
    const common = { name, ...(node.mode !== undefined && { mode: node.mode }), mtime }
    if (node.type === 'link') entries.push({ ...common, type: 'link', target: node.target })
    else if (node.type === 'file') {
      const { size, tag, parts } = node
      entries.push({ ...common, type: 'file', size, tag, parts })
    } else {
      const { tree, bytes, files } = node
      if (tree === undefined) throw new Error('a folder has no stored list')
      entries.push({ ...common, type: 'folder', tree, bytes, files })
    }
  }
  return entries
}

export function samePart(one: Part | null | undefined, other: Part | null | undefined): boolean {
  if (!one || !other) return !one && !other
  return one[0] === other[0] && one[1] === other[1] && one[2] === other[2]
}

/** Returns whether two files have the same stored content. */
export function sameContent(one: FileNode, other: FileNode): boolean {
  return one.size === other.size && one.tag === other.tag
}
