import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

const verdict = () => z.object({ status: z.string() }).default({ status: 'PROCESSING_FAILED' })

/**
 * Received mails: SES's notification of a mail that it stored in the bucket.
 * https://docs.aws.amazon.com/ses/latest/dg/receiving-email-notifications-contents.html
 */
export const receivedMails = topic('received-mails', () =>
  z.object({
    notificationType: z.literal('Received'),
    mail: z.object({ source: z.string().default('') }),
    receipt: z.object({
      timestamp: z.string(),
      recipients: z.array(z.string()),
      spfVerdict: verdict(),
      dkimVerdict: verdict(),
      dmarcVerdict: verdict(),
      spamVerdict: verdict(),
      virusVerdict: verdict(),
      action: z.object({ type: z.literal('S3'), objectKey: z.string() }),
    }),
  }),
)

export type ReceivedMailMessage = MessageOf<typeof receivedMails>
