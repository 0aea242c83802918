import { PlatformError, scopeRequired } from '#shared/platform/errors.ts'
import { allows, describeActor, mayMoveMoney } from '#shared/platform/identity/actor.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { isoOf } from '#shared/platform/times.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { type Approval, commitEnd, endWaitParts, isOpen, turnParts } from './approval.ts'
import { decidedEvent } from './events.ts'
import { requireApproval } from './find.ts'
import { rememberParts } from './remember.ts'
import type { ApprovalDecision, ApprovalView } from './schema.ts'
import { approvals, approvalTurns } from './topic.ts'
import { viewOf } from './view.ts'

type DecideContext = UserContext & Sends<'approvals' | 'approval-turns' | 'webhook-deliveries'>

/**
 * Decides an approval once, in one transaction with its audit entry, its event and the remembered decision. A job then
 * carries out an approved effect.
 * @throws PlatformError 404; 403 SCOPE_REQUIRED without the scope `money` for a payment, or `write` for another effect;
 * 409 APPROVAL_DECIDED for a decided or expired approval
 */
export async function decideApproval(
  ctx: DecideContext,
  { id, decision, remember, note }: ApprovalDecision & { id: string },
): Promise<ApprovalView> {
  const decided = await retryOptimistically(async () => {
    const approval = await requireApproval(ctx, { id })
    requireScope(ctx, approval)
    const now = Date.now()
    if (!isOpen(approval, now)) throw alreadyDecided(approval)
    const change = {
      state: decision === 'approve' ? 'approved' : 'denied',
      decidedAt: isoOf(now),
      decidedBy: describeActor(ctx.actor),
      ...(note !== undefined && note !== '' && { note }),
    } as const
    const isApproved = decision === 'approve'
    const after: Approval = { ...approval, ...change, attempts: approval.attempts + 1 }
    const action = isApproved ? 'approval.approved' : 'approval.denied'
    const { agentId, action: of, target } = approval
    const parts = {
      ...endWaitParts(approval, { ...change, ...(isApproved && { due: now }) }),
      ...(isApproved ? {} : turnParts(approval, now)),
      ...(remember && (await rememberParts(ctx, { approval, decision, remember, now }))),
      audit: await audit(ctx, action, {
        userId: ctx.owner,
        target: id,
        before: { state: 'pending' },
        after: { state: change.state, agentId, action: of, target, remember: remember ?? null },
      }),
      ...(await webhookParts(ctx, ctx.owner, [decidedEvent(after)], now)),
    }
    return (await commitEnd(ctx, parts)) ? after : overtaken
  })
  await requestNextStep(ctx, decided)
  return viewOf(decided)
}

/** @throws PlatformError 403 SCOPE_REQUIRED */
function requireScope({ actor: { user } }: DecideContext, { action }: Approval): void {
  if (action === 'payment.send') {
    if (!mayMoveMoney(user)) throw scopeRequired('money')
  } else if (user.scopes !== undefined && !allows(user.scopes, 'write', 'POST')) {
    throw scopeRequired('write')
  }
}

/** Sends the message for the work after a decision. Never throws: the tick sends it again. */
async function requestNextStep(ctx: DecideContext, approval: Approval): Promise<void> {
  const { id: approvalId, userId, attempts, state } = approval
  const work = { userId, approvalId }
  const sent =
    state === 'approved'
      ? ctx.queues.send(approvals, { ...work, attempt: attempts + 1 })
      : ctx.queues.send(approvalTurns, { ...work, attempt: 1 })
  await sent.catch((error: unknown) =>
    ctx.log.warn('a decided approval waits for the tick', { approvalId, error }),
  )
}

function alreadyDecided({ state }: Approval): PlatformError {
  const shown = state === 'pending' ? 'expired' : state
  const message =
    shown === 'expired' ? 'The approval has expired' : 'The approval has already been decided'
  return new PlatformError('conflict', message, {
    code: 'APPROVAL_DECIDED',
    details: { state: shown },
  })
}
