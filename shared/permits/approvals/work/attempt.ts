import { unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { type Approval, findApproval, isOpen } from '../approval.ts'
import { expireApproval } from '../expire.ts'
import { type MailContext, sendApprovalMail } from '../mails/send.ts'
import { approvalMailRows } from '../rows.ts'
import { approvalTurns, type ApprovalWork } from '../topic.ts'
import { carryOut, type CarryOutContext } from './carry-out.ts'
import { approvalWork } from './items.ts'

/**
 * Carries out the next step of an approval: expires it, or carries out the approved effect. Without an approval, sends
 * the mail to its owner. If the process is killed, the tick requests the next attempt.
 */
export async function attemptApproval(
  ctx: CarryOutContext & MailContext,
  message: ApprovalWork,
  now = Date.now(),
): Promise<void> {
  const { userId, approvalId } = message
  if (approvalId === undefined) {
    const mail = await approvalMailRows.find(ctx.table, { userId })
    return mail && sendApprovalMail(ctx, { mail, message, now })
  }
  const row = await findApproval(ctx, { userId, approvalId })
  const approval = row && (await approvalWork.claim(ctx, row, { message, now }))
  if (approval === undefined) return
  if (!(await unlessLeaseLost(step(ctx, approval, now))))
    ctx.log.warn('the lease of an approval was lost', { approvalId })
}

async function step(ctx: CarryOutContext, approval: Approval, now: number): Promise<void> {
  const { id: approvalId, userId, state, until } = approval
  if (state === 'approved') await carryOut(ctx, approval)
  else if (isOpen(approval, now))
    await approvalWork.later(ctx, approval, (Date.parse(until) - now) / 1000, { now })
  else if (await expireApproval(ctx, approval, now))
    await ctx.queues.send(approvalTurns, { userId, approvalId, attempt: 1 })
}
