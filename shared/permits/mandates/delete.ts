import { requireAgent } from '#shared/agents/record/find.ts'
import { notFound } from '#shared/platform/errors.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { mandateIn } from './mandate.ts'
import { mandateRows } from './rows.ts'
import { shownMandate } from './set.ts'

/**
 * Deletes an agent's mandate: the agent pays nothing more. Payments that were signed can still be settled.
 * @throws PlatformError 404 for an unknown agent, and without a mandate
 */
export async function deleteMandate(
  ctx: UserContext,
  { agentId }: { agentId: string },
): Promise<void> {
  const { owner } = ctx
  await requireAgent(ctx, { agentId, owner })
  const store = userStore(ctx.table, owner)
  await changeItem(store.row(mandateRows.sk({ agentId })), async (item) => {
    const mandate = mandateIn(item)
    if (mandate === undefined) throw notFound('Mandate')
    return {
      delete: { if: '#revision = :revision', values: { revision: mandate.revision } },
      also: {
        audit: await audit(ctx, 'mandate.changed', {
          userId: owner,
          target: agentId,
          before: shownMandate(mandate),
        }),
      },
    }
  })
}
