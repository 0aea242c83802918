import { findAgent } from '#shared/agents/record/find.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { type Approval, type ApprovalResult, turnParts } from '../approval.ts'
import { findRequest } from '../request.ts'
import { approvalTurns } from '../topic.ts'
import type { Executor, Outcome } from './executor.ts'
import { approvalWork } from './items.ts'

/** The executors by action. */
export type Executors = Readonly<Record<string, Executor>>

export type CarryOutContext = Pick<Context, 'table' | 'log'> &
  Sends<'approvals' | 'approval-turns'> & { executors: Executors }

/** The delay of the next attempt after one that had no effect. */
const laterSeconds = 30

/** The time after the approval until which an effect is tried, in milliseconds. Then it fails. */
const maxAgeMs = 3_600_000

const mayHaveBeenDone =
  'The process that carried it out was interrupted, so it may have been done. It was not sent again'

/**
 * Carries out an approved effect, and requests the turn that tells its agent.
 * @param approval the claimed approval
 * @throws LeaseLost
 */
export async function carryOut(ctx: CarryOutContext, approval: Approval): Promise<void> {
  const isLate = Date.now() - Date.parse(approval.decidedAt ?? approval.createdAt) > maxAgeMs
  if (approval.sending) return fail(ctx, approval, mayHaveBeenDone)
  let isSending = false
  const sending = async () => {
    await approvalWork.save(ctx, approval, { set: { sending: true } })
    isSending = true
  }
  try {
    const outcome = await attempt(ctx, approval, sending)
    if (outcome === 'ended') return await requestTurn(ctx, approval)
    if (outcome.state === 'failed') return await fail(ctx, approval, outcome.error)
    return await end(ctx, approval, outcome)
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    const shown = error instanceof PlatformError ? error : undefined
    if (shown === undefined || isTemporary(shown))
      ctx.log.warn('an approved effect was not carried out', { approvalId: approval.id, error })
    if (isSending) return fail(ctx, approval, shown?.message ?? mayHaveBeenDone)
    if (shown !== undefined && !isTemporary(shown)) return fail(ctx, approval, shown.message)
    if (isLate)
      return fail(ctx, approval, shown?.message ?? 'It could not be carried out within an hour')
    return approvalWork.later(ctx, approval, laterSeconds)
  }
}

async function attempt(
  ctx: CarryOutContext,
  approval: Approval,
  sending: () => Promise<void>,
): Promise<Outcome> {
  const { id: approvalId, userId, agentId, action } = approval
  const executor = ctx.executors[action]
  if (executor === undefined) return failed(`${action} cannot be carried out`)
  const [request, agent] = await Promise.all([
    findRequest(ctx, { userId, approvalId }),
    findAgent(ctx, { agentId, owner: userId }),
  ])
  if (agent === undefined) return failed('The agent was deleted')
  if (request === undefined) return failed('The request is no longer stored')
  return executor({
    approval,
    request,
    agent,
    sending,
    ending: (result) => endParts(approval, { state: 'done', result }),
  })
}

function failed(error: string): Outcome {
  return { state: 'failed', error }
}

/** Returns whether a later attempt can succeed. */
function isTemporary({ kind }: PlatformError): boolean {
  return kind === 'unavailable' || kind === 'too-many-requests'
}

function fail(ctx: CarryOutContext, approval: Approval, error: string): Promise<void> {
  return end(ctx, approval, { state: 'failed', result: { error } })
}

interface End {
  state: 'done' | 'failed'
  result: ApprovalResult
}

async function end(ctx: CarryOutContext, approval: Approval, change: End): Promise<void> {
  const { id: approvalId, userId } = approval
  const remove = ['sending']
  await approvalWork.finish(
    ctx,
    approval,
    { set: { ...change }, remove },
    turnParts(approval, Date.now()),
  )
  await requestTurn(ctx, { id: approvalId, userId })
}

function endParts(approval: Approval, change: End): Parts {
  return {
    approval: approvalWork.finished(approval, { set: { ...change } }),
    ...turnParts(approval, Date.now()),
  }
}

/** Never throws: the outcome is stored, and the tick sends a message that was not sent. */
async function requestTurn(
  { queues, log }: CarryOutContext,
  { id: approvalId, userId }: Pick<Approval, 'id' | 'userId'>,
): Promise<void> {
  await queues
    .send(approvalTurns, { userId, approvalId, attempt: 1 })
    .catch((error: unknown) =>
      log.warn('the turn about an approval waits for the tick', { approvalId, error }),
    )
}
