import { chunks } from '#shared/platform/chunks.ts'
import type { ListedObject, PartialObjects } from '#shared/platform/objects/port.ts'
import { newPack, packKey, packReader, packsPrefix } from './packs.ts'
import { encodeEntries, type FolderEntry, type Part } from './tree/entry.ts'
import type { Totals } from './tree/tree.ts'
import { walkFiles } from './walk.ts'

/** The number of packs that are copied at the same time. */
const copiesAtOnce = 16

/** A larger pack is copied by the store itself: S3's limit for a copied part. */
const leastComposedBytes = 5 * 1024 * 1024 + 1

interface Copied {
  from: string
  to: string
  /** The workspace of the source, at a pinned root. */
  workspace: FolderEntry
}

/**
 * Copies the packs of a workspace to another agent, under the same ids, so that the lists stay valid. It continues where
 * a killed process stopped.
 * @param goOn called between copies; it returns false to stop
 * @returns the root of the copy; undefined if it was stopped
 */
export async function copyFiles(
  objects: PartialObjects,
  { from, to, workspace }: Copied,
  goOn: () => Promise<boolean>,
): Promise<(Totals & { root: Part }) | undefined> {
  const { readList } = packReader(objects, from)
  const ids = new Set([workspace.tree[0]])
  for await (const { entry } of walkFiles(readList, workspace.tree)) {
    if (entry.type === 'folder') ids.add(entry.tree[0])
    else for (const [pack] of entry.parts) ids.add(pack)
  }
  const sizes = await sizesOf(objects, from)
  const stored = await sizesOf(objects, to)
  const missing = [...ids].filter((id) => stored.get(id) !== sizes.get(id))
  for (const some of chunks(missing, copiesAtOnce)) {
    if (!(await goOn())) return undefined
    await Promise.all(some.map((id) => copyPack(objects, { from, to, id, bytes: sizes.get(id) })))
  }
  const pack = newPack()
  const root = pack.add(encodeEntries([workspace]))
  await pack.store(objects, to)
  return { root, bytes: workspace.bytes, files: workspace.files }
}

async function copyPack(
  objects: PartialObjects,
  { from, to, id, bytes }: { from: string; to: string; id: string; bytes: number | undefined },
): Promise<void> {
  const [source, target] = [packKey(from, id), packKey(to, id)]
  if (bytes === undefined) throw new Error(`the pack ${id} of ${from} does not exist`)
  if (bytes >= leastComposedBytes)
    return objects.compose(target, [{ key: source, offset: 0, length: bytes }])
  const content = await objects.get(source)
  if (content === undefined) throw new Error(`the pack ${id} of ${from} does not exist`)
  await objects.put(target, content)
}

/** Returns the sizes of an agent's packs by id. */
async function sizesOf(objects: PartialObjects, agentId: string): Promise<Map<string, number>> {
  const prefix = packsPrefix(agentId)
  const sizes = new Map<string, number>()
  for await (const { key, bytes } of objects.list(prefix) as AsyncIterable<ListedObject>)
    sizes.set(key.slice(prefix.length), bytes)
  return sizes
}
