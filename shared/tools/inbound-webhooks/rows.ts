import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

export const emailActions = ['processed', 'rejected', 'rate_limited'] as const

export type EmailAction = (typeof emailActions)[number]

/**
 * The result of an email from the email provider, by the id of its event, stored for 30 days. It never contains the
 * email’s text.
 */
export const inboundEmailRows = entity({
  name: 'inbound email',
  pk: 'inbound-email#{eventId}',
  sk: 'email',
  schema: () =>
    z.object({
      eventId: z.string(),
      action: z.enum(emailActions),
      /** ISO 8601. */
      at: z.string(),
      /** In lower case; for rejected emails both fields are absent. */
      sender: z.string().optional(),
      subject: z.string().optional(),
    }),
})

/** The times of a sender’s emails that were processed in the last hour. */
export const emailSenderRows = entity({
  name: 'sender of emails',
  pk: 'email-sender#{sender}',
  sk: 'sender',
  schema: () =>
    z.object({
      /** Epoch milliseconds. */
      processedAt: z.array(z.number()),
    }),
})

/** An event of the streaming provider, by its id, otherwise by the SHA-256 of its body, stored for 30 days. */
export const streamingEventRows = entity({
  name: 'streaming event',
  pk: 'streaming-event#{eventId}',
  sk: 'event',
  schema: () =>
    z.object({
      eventId: z.string(),
      /** The event’s type and stream, as the provider names them; null if the event has none. */
      type: z.string().nullable(),
      streamId: z.string().nullable(),
      /** ISO 8601: the first arrival. */
      at: z.string(),
    }),
})
