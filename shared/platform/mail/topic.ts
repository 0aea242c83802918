import * as z from 'zod'
import { type MessageOf, topic } from '../queues/topic.ts'

/** What a mail on its way is sealed for. */
export const mailPlace = 'queue:mails'

export const mail = () =>
  z.object({
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string(),
    once: z.string().optional(),
  })

/** Mails, sealed. For one release they may be in the clear too, as the release before this one sent them. */
export const mails = topic('mails', () => z.union([z.object({ sealed: z.string() }), mail()]))

export type QueuedMail = MessageOf<typeof mails>
