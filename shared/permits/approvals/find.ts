import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { type Approval, findApproval } from './approval.ts'
import { findRequest } from './request.ts'
import { type ApprovalView, isApprovalId } from './schema.ts'
import { viewOf } from './view.ts'

/**
 * Returns an approval of the user with its request.
 * @throws PlatformError 404
 */
export async function showApproval(
  ctx: Pick<UserContext, 'table' | 'owner'>,
  { id }: { id: string },
): Promise<ApprovalView> {
  const approval = await requireApproval(ctx, { id })
  const request = await findRequest(ctx, { userId: ctx.owner, approvalId: id })
  return viewOf(approval, request)
}

/** @throws PlatformError 404 */
export async function requireApproval(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { id }: { id: string },
): Promise<Approval> {
  const approval = isApprovalId(id)
    ? await findApproval({ table }, { userId: owner, approvalId: id })
    : undefined
  if (approval === undefined) throw notFound('Approval')
  return approval
}
