import * as z from 'zod'
import { topic } from '../queues/topic.ts'

/** What a mail on its way is sealed for. */
export const mailPlace = 'queue:mails'

export const mail = () =>
  z.object({ to: z.string(), subject: z.string(), text: z.string(), html: z.string() })

/** A mail, sealed. For one release it may be in the clear too, as the release before this one sent it. */
export const queuedMail = () => z.union([z.object({ sealed: z.string() }), mail()])

export type QueuedMail = z.output<ReturnType<typeof queuedMail>>

export const mails = topic<QueuedMail>('mails')
