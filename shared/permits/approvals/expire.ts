import type { Context } from '#shared/platform/identity/context.ts'
import { type Approval, commitEnd, endWaitParts, turnParts } from './approval.ts'

/**
 * Expires a pending approval, and requests the turn that tells its agent.
 * @param now epoch milliseconds
 * @returns false if the approval has changed in the meantime
 */
export async function expireApproval(
  ctx: Pick<Context, 'table'>,
  approval: Approval,
  now: number,
): Promise<boolean> {
  const parts = { ...endWaitParts(approval, { state: 'expired' }), ...turnParts(approval, now) }
  return commitEnd(ctx, parts)
}
