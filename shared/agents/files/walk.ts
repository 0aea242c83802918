import { deepestFolder, DamagedFiles } from './packs.ts'
import type { FileEntry, FolderEntry, Part } from './tree/entry.ts'
import type { ReadList } from './tree/tree.ts'

/** A file or folder with its names, relative to the folder where the walk began. */
export type Walked =
  | { names: readonly string[]; entry: FileEntry }
  | { names: readonly string[]; entry: FolderEntry; isEmpty: boolean }

/** Twice as many as the files of an agent. Folders can share a list, so a few lists can contain endless folders. */
const mostEntries = 400_000

/**
 * Yields the files and folders below a list by name, a folder before its content. Links are left out.
 * @throws DamagedFiles for more entries than an agent can have, such as of a folder that contains itself
 */
export async function* walkFiles(readList: ReadList, tree: Part): AsyncGenerator<Walked> {
  const open = [{ names: [] as readonly string[], entries: (await readList(tree)).values() }]
  let visited = 0
  for (let folder = open.at(-1); folder !== undefined; folder = open.at(-1)) {
    const { value: entry } = folder.entries.next()
    if (entry === undefined) {
      open.pop()
      continue
    }
    if (++visited > mostEntries || open.length > deepestFolder)
      throw new DamagedFiles('the folders have too many entries')
    const names = [...folder.names, entry.name]
    if (entry.type === 'file') yield { names, entry }
    if (entry.type !== 'folder') continue
    const list = await readList(entry.tree)
    yield { names, entry, isEmpty: list.length === 0 }
    open.push({ names, entries: list.values() })
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
