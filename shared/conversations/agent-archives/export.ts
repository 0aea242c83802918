import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { collect } from '../restore-points/collect.ts'
import { portable } from './portable.ts'
import { writeArchive } from './write.ts'

export interface Exported {
  zip: Buffer<ArrayBuffer>
  /** The suggested file name. */
  fileName: string
}

/**
 * Exports a user's agent as a ZIP of readable files without secrets. Exports of the same content are identical byte by
 * byte.
 * @throws PlatformError 404, 413 if its memory alone is too large
 */
export async function exportAgent(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { agentId }: { agentId: string },
): Promise<Exported> {
  const agent = await requireAgent({ table }, { agentId, owner })
  const zip = await writeArchive(portable(await collect(table, agent)))
  return { zip, fileName: `${agent.subdomain}.zip` }
}
