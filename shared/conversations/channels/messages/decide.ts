import { park, type PendingApproval } from '#shared/permits/approvals/park.ts'
import { permitted, policyDenied } from '#shared/permits/policy/ask.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import { deliveryParts } from '../deliveries/parts.ts'
import { describedFile } from './outgoing-file.ts'
import { channelEffect, type Outgoing, textsOf } from './outgoing.ts'
import { toParkedMessage } from './parked.ts'

export type Decided =
  | { then: 'allow'; parts: Parts }
  /** `parts` record the message for the owner. */
  | { then: 'deny'; parts: Parts; error: PlatformError }
  | { then: 'ask'; pending: PendingApproval }

/**
 * Decides a message by the agent's policy before any part of it leaves. A message that needs an approval is parked.
 * @param input.seed the seed of the message, which makes the keys of its parts
 * @returns the parts to commit
 */
export async function decideMessage(
  { table, log }: Pick<Context, 'table' | 'log'>,
  message: Outgoing,
  { seed, now }: { seed: string; now: number },
): Promise<Decided> {
  const { agent, channel, chat, replyTo, session, file } = message
  const effect = channelEffect(message)
  const texts = textsOf(channel, message.text)
  // The answer to an event may have been sent before, by an approval of an attempt that was interrupted.
  const once = message.event !== undefined
  const parts = { channel, chat, seed, texts, file, replyTo, now, once }
  const denied = (error: PlatformError): Decided => ({
    then: 'deny',
    parts: deliveryParts({ ...parts, refused: error.message }),
    error,
  })
  const decision = await permitted({ table }, { agent, effect, now })
  if (decision.then === 'allow') return { then: 'allow', parts: deliveryParts(parts) }
  if (decision.then === 'deny') return denied(policyDenied(effect, decision))
  const { channel: kind, to } = effect.target
  const verb = effect.answer ? 'Answer' : 'Write to'
  const content = [...(file === undefined ? [] : [describedFile(file)]), message.text]
  try {
    const pending = await park(
      { table, log },
      {
        agent,
        effect,
        session,
        summary: `${verb} ${to} on ${kind}: ${content.filter(Boolean).join(', ')}`,
        request: toParkedMessage(message),
        uncount: decision.uncount,
      },
    )
    return { then: 'ask', pending }
  } catch (error) {
    // Too many messages wait already, or this one is too long.
    if (!(error instanceof PlatformError)) throw error
    return denied(error)
  }
}
