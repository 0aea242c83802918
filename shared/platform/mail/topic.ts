import * as z from 'zod'
import { type MessageOf, topic } from '../queues/topic.ts'

/** The place that a queued mail is sealed for. */
export const mailPlace = 'queue:mails'

export const mail = () =>
  z.object({
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string(),
    once: z.string().optional(),
  })

/** Mails, sealed. For one release also in clear text, since the previous release sends them so. */
export const mails = topic('mails', () => z.union([z.object({ sealed: z.string() }), mail()]))

export type QueuedMail = MessageOf<typeof mails>
