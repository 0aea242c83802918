import { requireAgent } from '#shared/agents/record/find.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { mandateIn, mandateKey } from './mandate.ts'
import type { MandateView } from './schema.ts'
import { shownMandate } from './set.ts'
import { showMandate } from './show.ts'

/** Returns an agent's mandate and its use. @throws PlatformError 404 for an unknown agent, and without a mandate */
export async function getMandate(
  { table, owner }: UserContext,
  { agentId }: { agentId: string },
): Promise<MandateView> {
  await requireAgent({ table }, { agentId, owner })
  const mandate = mandateIn(await table.get(mandateKey({ userId: owner, agentId })))
  if (mandate === undefined) throw notFound('Mandate')
  return showMandate(table, { agentId, mandate: shownMandate(mandate) })
}
