import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { visitDue } from '#shared/platform/table/visit-due.ts'
import { entitlementRows, usersDue } from './rows.ts'
import { entitlements } from './topic.ts'

/**
 * Sends a message for each due user: a step after a plan's end is due, or a crashed process left work undone. The tick
 * does not change the rows, so the next one repeats a lost message.
 * @returns the number of users
 */
export async function tickEntitlements(
  ctx: Pick<Context, 'table'> & Sends<'entitlements'>,
  now = Date.now(),
): Promise<{ due: number }> {
  const { partitions } = usersDue
  const due = await visitDue(ctx.table, { partitions, now }, async (items) => {
    const users = items.map((item) => ({ userId: entitlementRows.parse(item).userId }))
    await ctx.queues.sendAll(entitlements, users)
    return users.length
  })
  return { due }
}
