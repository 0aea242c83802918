import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { credentialViews, readBrokerCredentials } from './credentials.ts'
import type { BrokerCredentialView } from './schema.ts'

/**
 * Lists the names and hosts of an agent's broker credentials.
 * @throws PlatformError 404
 */
export async function listBrokerCredentials(
  { table, owner }: UserContext,
  { agentId }: { agentId: string },
): Promise<BrokerCredentialView[]> {
  const agent = await requireAgent({ table }, { agentId, owner })
  return credentialViews(await readBrokerCredentials(table, agent))
}
