import { requireAgent } from '#shared/agents/record/find.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { syncBefore, type SyncContext } from './container/sync.ts'
import { packReader } from './packs.ts'
import { fileRows } from './rows.ts'
import { openTree } from './tree/tree.ts'

export type ReadsFiles = Pick<UserContext, 'table' | 'owner'> & Can<'packs'> & SyncContext

/**
 * Opens the files of a caller's agent for reading.
 * @param names the file or folder to read, which a container that holds the files commits before
 * @throws PlatformError 404, 503 with Retry-After as syncBefore
 */
export async function openStored(ctx: ReadsFiles, agentId: string, names: readonly string[]) {
  const { table, owner: userId, packs } = ctx
  const read = () => fileRows.find(table, { userId, agentId })
  const [agent, before] = await Promise.all([requireAgent(ctx, { agentId, owner: userId }), read()])
  const isSynced = await syncBefore(ctx, { agent, row: before, names })
  const row = isSynced ? await read() : before
  const reader = packReader(packs, agentId)
  const totals = { bytes: row?.bytes ?? 0, files: row?.files ?? 0 }
  return { tree: openTree(reader.readList, row?.root, totals), reader, collectAt: row?.collectAt }
}
