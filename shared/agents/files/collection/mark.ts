import type { PartialObjects } from '#shared/platform/objects/port.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { DamagedFiles, deepestFolder, packReader } from '../packs.ts'
import { fileRows, type FilesRow, pinRows, uploadRows } from '../rows.ts'
import type { Part } from '../tree/entry.ts'
import type { ReadList, Totals } from '../tree/tree.ts'
import { uploadPack } from '../uploads/items.ts'

/** The maximum size of all lists of a root in bytes: the job has them in memory one after the other. */
const longestLists = 256 * 1024 * 1024

export interface UsedPacks {
  /** The packs of the current root, of pinned roots, and of unfinished uploads by link. */
  used: ReadonlySet<string>
  /** True if a root is pinned. */
  isPinned: boolean
  /** The version that was read, its packs, its real totals, and the size that the row had. */
  current: Totals & { version: number; packs: ReadonlySet<string>; claimed: number }
}

/**
 * Finds all packs that are in use.
 * @throws DamagedFiles if a list cannot be read: containers send them
 */
export async function usedPacks(
  { store, packs }: { store: UserStore; packs: PartialObjects },
  agentId: string,
): Promise<UsedPacks> {
  // The uploads are read first: an upload that is committed in between is then in use by its row or by the root.
  const uploads = await allItems((from) =>
    store.query({ beginsWith: uploadRows.prefix({ agentId }), consistent: true, ...from }),
  )
  const pins = await allItems((from) =>
    store.query({ beginsWith: pinRows.prefix({ agentId }), consistent: true, ...from }),
  )
  const item = await store.get(fileRows.sk({ agentId }))
  const row: FilesRow | undefined = item && fileRows.parse(item)
  const visit = visitor(packReader(packs, agentId).readList)
  const totals = row?.root === undefined ? { bytes: 0, files: 0 } : await visit.root(row.root)
  const { version = 0, bytes: claimed = 0 } = row ?? {}
  const current = { ...totals, version, claimed, packs: new Set(visit.packs) }
  for (const pin of pins) await visit.root(pinRows.parse(pin).root)
  const used = new Set(visit.packs)
  for (const one of uploads) used.add(uploadPack(uploadRows.parse(one)))
  return { used, isPinned: pins.length > 0, current }
}

/** Visits each list once, even if several folders or roots share it. */
function visitor(readList: ReadList) {
  const packs = new Set<string>()
  const totals = new Map<string, Totals | 'open'>()
  let left = longestLists
  async function from(list: Part, depth = 0): Promise<Totals> {
    const key = list.join(' ')
    const known = totals.get(key)
    if (known === 'open' || depth > deepestFolder)
      throw new DamagedFiles('a folder contains itself')
    if (known !== undefined) return known
    totals.set(key, 'open')
    left -= list[2]
    if (left < 0) throw new DamagedFiles('the lists are too long')
    packs.add(list[0])
    const sum: Totals = { bytes: 0, files: 0 }
    for (const entry of await readList(list)) {
      if (entry.type === 'link') continue
      if (entry.type === 'file') for (const [pack] of entry.parts) packs.add(pack)
      const more =
        entry.type === 'file' ? { bytes: entry.size, files: 1 } : await from(entry.tree, depth + 1)
      sum.bytes += more.bytes
      sum.files += more.files
    }
    // If folders share a list, each of them is counted.
    if (!Number.isSafeInteger(sum.bytes + sum.files))
      throw new DamagedFiles('the totals are too large')
    totals.set(key, sum)
    return sum
  }
  return {
    packs,
    root(list: Part): Promise<Totals> {
      left = longestLists
      return from(list)
    },
  }
}
