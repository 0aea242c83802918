import type { FileEntry, FolderEntry, Part } from './tree/entry.ts'
import type { ReadList } from './tree/tree.ts'

/** A file or folder with its names, relative to the folder where the walk began. */
export type Walked =
  | { names: readonly string[]; entry: FileEntry }
  | { names: readonly string[]; entry: FolderEntry; isEmpty: boolean }

/** Yields the files and folders below a list by name, a folder before its content. Links are left out. */
export async function* walkFiles(
  readList: ReadList,
  tree: Part,
  above: readonly string[] = [],
): AsyncGenerator<Walked> {
  for (const entry of await readList(tree)) {
    const names = [...above, entry.name]
    if (entry.type === 'file') yield { names, entry }
    if (entry.type !== 'folder') continue
    const isEmpty = (await readList(entry.tree)).length === 0
    yield { names, entry, isEmpty }
    yield* walkFiles(readList, entry.tree, names)
  }
}

/** Returns the folder that routes show, from the list of a root. @returns undefined if it does not exist */
export async function workspaceIn(
  readList: ReadList,
  root: Part | undefined,
): Promise<FolderEntry | undefined> {
  const entries = root === undefined ? [] : await readList(root)
  return entries.find(
    (entry): entry is FolderEntry => entry.type === 'folder' && entry.name === 'workspace',
  )
}
