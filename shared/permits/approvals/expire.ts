import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { type Approval, endWaitParts, turnParts } from './approval.ts'

/**
 * Expires a pending approval, and requests the turn that tells its agent.
 * @param now epoch milliseconds
 * @returns false if the approval has changed in the meantime
 */
export async function expireApproval(
  { table }: Pick<Context, 'table'>,
  approval: Approval,
  now: number,
): Promise<boolean> {
  const { count, ...parts } = endWaitParts(approval, { state: 'expired' })
  const told = { ...parts, ...turnParts(approval, now) }
  const refusals = await tryCommit(table, { ...told, count })
  if (refusals === undefined) return true
  if (refusals.approval !== undefined) return false
  // The agent's rows were deleted.
  return (await tryCommit(table, told)) === undefined
}
