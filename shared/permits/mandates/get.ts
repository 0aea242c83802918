import { requireAgent } from '#shared/agents/record/find.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { mandateIn, mandateKey } from './mandate.ts'
import type { NewMandate } from './schema.ts'
import { shownMandate } from './set.ts'

/** Returns an agent's mandate. @throws PlatformError 404 for an unknown agent, and without a mandate */
export async function getMandate(
  { table, owner }: UserContext,
  { agentId }: { agentId: string },
): Promise<NewMandate> {
  await requireAgent({ table }, { agentId, owner })
  const mandate = mandateIn(await table.get(mandateKey({ userId: owner, agentId })))
  if (mandate === undefined) throw notFound('Mandate')
  return shownMandate(mandate)
}
