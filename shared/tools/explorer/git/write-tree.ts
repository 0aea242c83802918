import { createHash } from 'node:crypto'
import { bytesOf } from '#shared/platform/folder/names.ts'
import type { IndexEntry } from './index-file.ts'
import type { Repository } from './repository.ts'

interface Folder {
  files: { name: string; mode: number; oid: string }[]
  folders: Map<string, Folder>
}

const folderMode = 0o40000

/**
 * Writes the trees of an index.
 * @param known trees that already exist in the repository
 * @returns the id of the root tree
 */
export async function writeTree(
  repository: Repository,
  entries: readonly IndexEntry[],
  known: ReadonlySet<string>,
): Promise<string> {
  const root: Folder = { files: [], folders: new Map() }
  for (const { path, mode, oid, intentToAdd } of entries) {
    if (intentToAdd) continue
    const names = path.split('/')
    const name = names.pop() ?? ''
    let folder = root
    for (const part of names) {
      const next = folder.folders.get(part) ?? { files: [], folders: new Map() }
      folder.folders.set(part, next)
      folder = next
    }
    folder.files.push({ name, mode, oid })
  }
  return writeFolder(repository, root, known)
}

/** Writes inner trees first, so that an existing tree is always complete. */
async function writeFolder(
  repository: Repository,
  { files, folders }: Folder,
  known: ReadonlySet<string>,
): Promise<string> {
  const items = files.map((file) => ({ ...file, order: bytesOf(file.name) }))
  for (const [name, folder] of folders) {
    const oid = await writeFolder(repository, folder, known)
    // Git sorts a folder as if its name ended in a slash.
    items.push({ name, mode: folderMode, oid, order: bytesOf(`${name}/`) })
  }
  items.sort((one, other) => Buffer.compare(one.order, other.order))
  const object = Buffer.concat(
    items.flatMap(({ name, mode, oid }) => [
      Buffer.from(`${mode.toString(8)} `),
      bytesOf(`${name}\0`),
      Buffer.from(oid, 'hex'),
    ]),
  )
  const oid = createHash('sha1').update(`tree ${object.length}\0`).update(object).digest('hex')
  const { git, at } = repository
  if (!known.has(oid)) await git.writeObject({ ...at, type: 'tree', format: 'content', object })
  return oid
}
