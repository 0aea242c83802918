import { nameOf } from '#shared/platform/folder/names.ts'
import { headCommit, type Repository } from './repository.ts'
import { modes } from './work-file.ts'

export interface TreeFile {
  mode: number
  oid: string
}

/**
 * Returns every file of HEAD's commit by path, or an empty map before the first commit.
 * @param trees receives the ids of the commit's trees
 */
export async function headFiles(
  repository: Repository,
  trees: Set<string> = new Set(),
): Promise<Map<string, TreeFile>> {
  const files = new Map<string, TreeFile>()
  const commit = await headCommit(repository)
  if (commit === undefined) return files
  const { git, at } = repository
  const { commit: head } = await git.readCommit({ ...at, oid: commit })
  const open = [{ oid: head.tree, path: '' }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path: folder } = next
    trees.add(next.oid)
    for (const { mode, name, oid } of await readTree(repository, next.oid)) {
      if (mode === treeMode) open.push({ oid, path: `${folder}${name}/` })
      else files.set(folder + name, { mode: canonical(mode), oid })
    }
  }
  return files
}

const treeMode = 0o40000

/** Normalises the mode: trees from old programs have other permissions, which git maps to one of two. */
function canonical(mode: number): number {
  if ((mode & 0o170000) !== 0o100000) return mode
  return (mode & 0o100) === 0 ? modes.file : modes.program
}

/** Reads the stored object, because isomorphic-git's reader rejects names that are invalid only on Windows. */
async function readTree({ git, at }: Repository, oid: string) {
  const { object } = await git.readObject({ ...at, oid, format: 'content' })
  if (!(object instanceof Uint8Array)) throw new TypeError(`the object ${oid} is not a tree`)
  return treeEntries(Buffer.from(object))
}

/** Parses the entries of a tree object. */
export function treeEntries(bytes: Buffer): { mode: number; name: string; oid: string }[] {
  const entries = []
  for (let begin = 0; begin < bytes.length;) {
    const blank = bytes.indexOf(0x20, begin)
    const end = bytes.indexOf(0, blank)
    entries.push({
      mode: Number.parseInt(bytes.toString('latin1', begin, blank), 8),
      name: nameOf(bytes.subarray(blank + 1, end)),
      oid: bytes.toString('hex', end + 1, end + 21),
    })
    begin = end + 21
  }
  return entries
}
