import { requireAgent } from '#shared/agents/record/find.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { packReader } from './packs.ts'
import { fileRows } from './rows.ts'
import { openTree } from './tree/tree.ts'

export type ReadsFiles = Pick<UserContext, 'table' | 'owner'> & Can<'packs'>

/**
 * Opens the last committed files of a caller's agent for reading. While a container holds the files, it may have newer
 * ones.
 * @throws PlatformError 404
 */
export async function openStored({ table, owner, packs }: ReadsFiles, agentId: string) {
  const [agent, row] = await Promise.all([
    requireAgent({ table }, { agentId, owner }),
    fileRows.find(table, { userId: owner, agentId }),
  ])
  const reader = packReader(packs, agent.id)
  const totals = { bytes: row?.bytes ?? 0, files: row?.files ?? 0 }
  const tree = openTree(reader.readList, row?.root, totals)
  return { tree, reader, collectAt: row?.collectAt }
}
