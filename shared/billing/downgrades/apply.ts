import {
  findEntitlement,
  storeAccess,
  recordProcessed,
} from '#shared/accounts/entitlements/record.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import type { DowngradeContext } from './context.ts'
import { deleteLapsed, isLapsed, nextStep } from './delete.ts'
import { notifyUser } from './notify.ts'
import { settleAgents } from './settle.ts'

/**
 * Applies a user's paid access to their agents, and notifies the user: docs/use/billing.md. The work is derived from the
 * rows, so a message may be late, repeated or out of order, and the next one continues after a crash. Users without an
 * account here, and their agents, are not changed.
 */
export async function applyEntitlements(
  ctx: DowngradeContext,
  { userId }: { userId: string },
  now = Date.now(),
): Promise<void> {
  const before = await findEntitlement(ctx.table, userId)
  const judged = await settleAgents(
    ctx,
    { userId, follow: (found) => deleteLapsed(ctx, { judged: found, told: before?.told }, now) },
    now,
  )
  if (judged === undefined) {
    if (before) await recordProcessed(ctx.table, { seen: before, told: {}, at: null }, now)
    return
  }
  const { user, access } = judged
  const entitlement = await storeAccess(ctx.table, { userId, access }, now)
  const agents = await listAgents(ctx, { userId, consistent: true })
  const notifications = await notifyUser(ctx, { user, entitlement, agents })
  const seen = { ...entitlement, asked: before?.asked ?? 0 }
  await recordProcessed(
    ctx.table,
    { seen, told: notifications, at: nextStep(agents.filter(isLapsed)) },
    now,
  )
}
