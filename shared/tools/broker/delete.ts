import { requireAgent } from '#shared/agents/record/find.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { changeBrokerCredentials } from './change.ts'

/**
 * Deletes an agent's credential: the next request that names it is rejected.
 * @throws PlatformError 404
 */
export async function deleteBrokerCredential(
  { table, owner }: UserContext,
  { agentId, name }: { agentId: string; name: string },
): Promise<void> {
  const agent = await requireAgent({ table }, { agentId, owner })
  await changeBrokerCredentials(table, agent, ({ [name]: gone, ...others }) => {
    if (gone === undefined) throw notFound('Broker credential')
    return others
  })
}
