import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import { botChannels } from '../record/senders/read.ts'

export const channelParams = z.object({ id: z.string(), channelId: z.string() })

export const senderParams = channelParams.extend({
  senderId: z
    .string()
    .describe('The sender’s id at the chat service, or the code that the bot sent them'),
})

export const senderDecision = z
  .object({
    decision: z.enum(['approve', 'block'], { error: 'decision must be approve or block' }),
  })
  .meta({ id: 'SenderDecision' })

const sender = {
  id: z.string().describe('The sender’s id at the chat service'),
  name: z.string().nullable().describe('The sender’s name at the chat service; null if unknown'),
  state: z.enum(['pending', 'approved', 'blocked']),
  code: z.string().nullable().describe('The code that the bot sent them; null after the decision'),
}

export const senderList = z
  .object({ senders: z.array(z.object(sender).meta({ id: 'Sender' })) })
  .meta({ id: 'SenderList' })

export const decidedSender = z
  .object({
    ...sender,
    applied: z
      .boolean()
      .describe(
        'True if the bot already uses the decision; otherwise it takes effect at the agent’s next start',
      ),
  })
  .meta({ id: 'DecidedSender' })

export type SenderView = z.output<typeof senderList>['senders'][number]

/** The maximum number of approved and blocked senders of a channel. Waiting senders do not count. */
export const maxSenders = 200

export const botChannel = z.enum(botChannels)

/** A sender's id at Discord, Telegram or WhatsApp. */
export const senderId = z.string().regex(/^\d{1,20}$/)

/** The response of an agent's gateway about waiting senders: agent/README.md. */
export const waitingSenders = z.object({
  senders: z.array(
    z.object({ id: senderId, name: z.string().nullable().catch(null), code: z.string() }),
  ),
})

/** Returns the error 409 SENDERS_FULL. */
export function sendersFull(): PlatformError {
  const message = `A channel has at most ${maxSenders} senders. Block one that no longer needs it to make room.`
  return new PlatformError('conflict', message, {
    code: 'SENDERS_FULL',
    details: { limit: maxSenders },
  })
}
