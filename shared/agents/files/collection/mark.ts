import type { PartialObjects } from '#shared/platform/objects/port.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { packReader } from '../packs.ts'
import { fileRows, pinRows, uploadRows } from '../rows.ts'
import type { Part } from '../tree/entry.ts'
import { uploadPack } from '../uploads/items.ts'

/**
 * Finds all packs that are in use: the packs of the current root, of pinned roots, and of unfinished uploads by link.
 * @returns their ids, and whether a root is pinned
 */
export async function usedPacks(
  { store, packs }: { store: UserStore; packs: PartialObjects },
  agentId: string,
): Promise<{ used: ReadonlySet<string>; isPinned: boolean }> {
  // The uploads are read first: an upload that is committed in between is then in use by its row or by the root.
  const uploads = await allItems((from) =>
    store.query({ beginsWith: uploadRows.prefix({ agentId }), consistent: true, ...from }),
  )
  const pins = await allItems((from) =>
    store.query({ beginsWith: pinRows.prefix({ agentId }), consistent: true, ...from }),
  )
  const item = await store.get(fileRows.sk({ agentId }))
  const root = item && fileRows.parse(item).root
  const used = new Set(uploads.map((one) => uploadPack(uploadRows.parse(one))))
  const { readList } = packReader(packs, agentId)
  const seen = new Set<string>()
  const waiting: Part[] = [...pins.map((one) => pinRows.parse(one).root), ...(root ? [root] : [])]
  for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
    const [pack, offset] = list
    if (seen.has(`${pack} ${offset}`)) continue
    seen.add(`${pack} ${offset}`)
    used.add(pack)
    for (const entry of await readList(list)) {
      if (entry.type === 'folder') waiting.push(entry.tree)
      if (entry.type === 'file') for (const [part] of entry.parts) used.add(part)
    }
  }
  return { used, isPinned: pins.length > 0 }
}
