import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentMessage } from '#shared/money/agent-message/message.ts'
import { park, type PendingApproval } from '#shared/permits/approvals/park.ts'
import { otherSession } from '#shared/permits/approvals/session.ts'
import { permitted, policyDenied } from '#shared/permits/policy/ask.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import { accept, type Acceptance, alreadyReceived } from './accept.ts'
import { allowanceOf } from './allowance.ts'
import { type DeliveryContext, tryOnce } from './delivery/attempt.ts'
import { outstandingFor } from './delivery/outstanding.ts'
import { type Negotiations, negotiationOf } from './negotiation.ts'
import { readParties } from './parties.ts'
import { messageRows } from './rows.ts'
import { requireInTime, requireSigned } from './signature.ts'

/** The context of a message that is sent: also the queues that tell the sender's owner of an approval. */
export type SendContext = DeliveryContext &
  Sends<'approvals' | 'webhook-deliveries'> & { negotiations: Negotiations }

export interface SentMessage {
  message: AgentMessage
  now?: number
  /** Called for a recent message to an existing recipient, after its signature is verified. */
  onSigned?(parties: { from: string; to: string }): Promise<void>
  /** The sender's session. If the message waits for an approval, its result is told there. */
  session?: string | undefined
  /** Set if the message was sent earlier and waited for an approval: its age is then not checked again. */
  approved?: { along: Acceptance['along'] }
}

/**
 * Sends a message from one agent to another, with the checks of contract.md 9 in their order. A rejected message is not
 * stored: its messageId can be used again, and it is not counted. If the recipient has a webhook, the message is then
 * delivered.
 * @param input.message the received message, with a valid form
 * @returns the approval that the message waits for, if the sender's policy asks
 * @throws PlatformError 401 signature or time, 404 recipient, 403 POLICY_DENIED, 402 subscription, 400, 404 or 409 of a
 * negotiation, 409 for a known messageId, 429 A2A_LIMIT_REACHED and APPROVALS_FULL; 500 DELIVERY_FAILED for an accepted
 * message that the queue delivers later
 */
export async function sendMessage(
  ctx: SendContext,
  { message, now = Date.now(), onSigned, session, approved }: SentMessage,
): Promise<PendingApproval | undefined> {
  const { from, to, action } = message
  const parties = await readParties(ctx.table, {
    from: from.agentId,
    to: to.agentId,
  })
  const { owner, recipient } = parties
  const signer = await requireSigned(message, parties)
  if (approved === undefined) requireInTime(message, now)
  if (recipient === undefined) throw notFound('Recipient')
  await onSigned?.({ from: from.agentId, to: to.agentId })
  if (approved === undefined) {
    const pending = await askPolicy(ctx, { message, signer, session, now })
    if (pending !== undefined) return pending
  }
  const text = JSON.stringify(message)
  const open = outstandingFor(recipient, text)
  await accept(ctx, {
    received: { message, sender: signer, recipient, now },
    text,
    open,
    allowance: allowanceOf(signer, owner, ctx.config.ADMIN_EMAILS),
    negotiation: negotiationOf(ctx.negotiations, action),
    along: approved?.along,
  })
  if (open === undefined) return undefined
  const { messageId } = message
  const reached = await tryOnce(ctx, { messageId, open }, recipient)
  if (!reached && open.what === 'deliver')
    throw new PlatformError('internal', 'The message could not be delivered yet', {
      code: 'DELIVERY_FAILED',
      details: { messageId },
    })
  return undefined
}

interface Asked extends Pick<SentMessage, 'message' | 'session'> {
  signer: Agent
  now: number
}

/**
 * Parks the message if the sender's policy asks.
 * @returns undefined if the policy allows the message
 * @throws PlatformError 403 POLICY_DENIED, 409 for a known messageId, and as `park`
 */
async function askPolicy(
  { table, log, queues }: Pick<SendContext, 'table' | 'log' | 'queues'>,
  { message, signer, session = otherSession, now }: Asked,
): Promise<PendingApproval | undefined> {
  const { messageId, to, action } = message
  // A recipient can send a signed message again, which must not count for a rule of the sender's policy.
  if (signer.hasPolicy && (await messageRows.find(table, { messageId }))) throw alreadyReceived()
  const effect = { action: 'message.send', target: { to: to.agentId, action } } as const
  const decision = await permitted({ table }, { agent: signer, effect, now })
  if (decision.then === 'deny') throw policyDenied(effect, decision)
  if (decision.then === 'allow') return undefined
  const summary = `Message ${action} to the agent ${to.agentId}`
  return park(
    { table, log, queues },
    {
      agent: signer,
      effect,
      session,
      summary,
      request: { json: { message } },
      uncount: decision.uncount,
    },
  )
}
