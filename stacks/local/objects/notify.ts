import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { QueueName } from '#shared/manifest/index.ts'
import { asciiJson } from '../queues/ascii-json.ts'
import { bucket } from './files.ts'

interface Queues {
  sqs: SQSClient
  queueUrls: Record<QueueName, string>
}

/** Sends the bucket's notification of a file that was uploaded by a link, as S3 does: stacks/file-uploads.ts. */
export async function notifyOfUpload(
  { sqs, queueUrls }: Queues,
  { key, bytes, tag }: { key: string; bytes: number; tag: string },
): Promise<void> {
  if (!key.startsWith('files/') || !key.endsWith('.upload')) return
  const MessageBody = asciiJson(notificationOf({ key, bytes, tag }))
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrls['file-uploads'], MessageBody }))
}

/**
 * Returns a notification in S3's form, version 2.1.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 */
export function notificationOf({ key, bytes, tag }: { key: string; bytes: number; tag: string }) {
  const object = {
    key: encodeURIComponent(key).replaceAll('%2F', '/'),
    size: bytes,
    eTag: tag.replaceAll('"', ''),
  }
  return {
    Records: [
      {
        eventVersion: '2.1',
        eventSource: 'aws:s3',
        eventTime: new Date().toISOString(),
        eventName: 'ObjectCreated:Put',
        s3: { s3SchemaVersion: '1.0', bucket: { name: bucket }, object },
      },
    ],
  }
}
