import * as z from 'zod'
import { type MessageOf, topic } from '../queues/topic.ts'

/** The context that a queued mail is sealed with. */
export const mailPlace = 'queue:mails'

export const mail = () =>
  z.object({
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string(),
    once: z.string().optional(),
    from: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    attachments: z
      .array(z.object({ name: z.string(), mime: z.string(), key: z.string() }))
      .optional(),
  })

/** Encrypted mails. Mails in clear text are also accepted, because the previous release sends them. */
export const mails = topic('mails', () => z.union([z.object({ sealed: z.string() }), mail()]))

export type QueuedMail = MessageOf<typeof mails>
