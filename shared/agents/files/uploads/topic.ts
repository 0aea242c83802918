import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/**
 * Uploads by link that may be complete. The bucket sends a notification for each stored object, in Amazon S3's form
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html), and one test message
 * when the notification is configured. The tick sends an upload that is due.
 */
export const fileUploads = topic('file-uploads', () =>
  z.union([
    z.object({ userId: z.string(), agentId: z.string(), uploadId: z.string() }),
    z.object({ Records: z.array(z.object({ s3: z.object({ object: storedObject() }) })) }),
    z.object({ Event: z.literal('s3:TestEvent') }),
  ]),
)

/** The key is encoded as in a URL query. */
function storedObject() {
  return z.object({ key: z.string() })
}

export type UploadMessage = MessageOf<typeof fileUploads>

/** The message about one upload. */
export type UploadRef = Extract<UploadMessage, { uploadId: string }>
