import type { Dirent } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { ifExists } from '../workspace/files.ts'
import { namingFaults } from './fault.ts'
import { type Folder, openFolder } from './folder.ts'
import { folderNamesIn } from './path.ts'
import { firstOf } from './result.ts'

/** The maximum number of entries that are sorted. */
const maxEntries = 10_000

type Listed =
  | { name: string; type: 'folder' }
  | { name: string; type: 'file'; size: number; modified: string }

/**
 * Lists a folder by name. Links are left out, as by the platform's routes.
 * @throws Problem for a folder that is missing
 */
export async function listFiles(
  workspace: string,
  path: string,
): Promise<{ entries: Listed[]; note?: string }> {
  const work = async () => {
    await using folder = await openFolder(workspace, folderNamesIn(path))
    const { entries, all } = await folder.entries(maxEntries)
    const { first, all: fits } = await firstOf(described(folder, entries))
    return { first, all: all && fits }
  }
  const { first, all } = await namingFaults(path, work())
  return {
    entries: first,
    ...(!all && { note: 'There are more entries. search_files finds the others.' }),
  }
}

async function* described(folder: Folder, entries: readonly Dirent[]): AsyncGenerator<Listed> {
  for (const entry of entries) {
    const { name } = entry
    if (entry.isDirectory()) yield { name, type: 'folder' }
    else {
      // A file may be deleted in the meantime. A name that is not UTF-8 is not found either.
      const info = await ifExists(lstat(folder.at(name)))
      if (info?.isFile() === true)
        yield { name, type: 'file', size: info.size, modified: info.mtime.toISOString() }
    }
  }
}
