import { randomUUID } from 'node:crypto'
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { bucket } from '../objects/files.ts'
import { asciiJson } from '../queues/ascii-json.ts'
import type { ArrivedMail } from './server.ts'

interface Engines {
  s3: S3Client
  sqs: SQSClient
  queueUrl: string
}

/** Stores a mail in the bucket and sends its notification to the queue, as SES does: stacks/mail-in.ts. */
export async function keepMail(
  { s3, sqs, queueUrl: QueueUrl }: Engines,
  mail: ArrivedMail,
): Promise<void> {
  const id = randomUUID()
  const key = `mails/in/${id}`
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: mail.raw }))
  const MessageBody = asciiJson(notificationOf({ id, key, mail }))
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
}

/**
 * Returns a notification in SES's form.
 * https://docs.aws.amazon.com/ses/latest/dg/receiving-email-notifications-contents.html
 */
function notificationOf({ id, key, mail }: { id: string; key: string; mail: ArrivedMail }) {
  const timestamp = new Date().toISOString()
  const verdict = (status: string) => ({ status })
  return {
    notificationType: 'Received',
    mail: {
      timestamp,
      source: mail.envelopeFrom,
      messageId: id,
      destination: mail.recipients,
    },
    receipt: {
      timestamp,
      recipients: mail.recipients,
      spfVerdict: verdict('GRAY'),
      dkimVerdict: verdict('GRAY'),
      dmarcVerdict: verdict(dmarcOf(mail.raw)),
      spamVerdict: verdict('PASS'),
      virusVerdict: verdict('PASS'),
      action: { type: 'S3', bucketName: bucket, objectKey: key },
    },
  }
}

/**
 * Only programs of this machine reach the listener, so their mails pass. A server that passes on others' mails writes its
 * own verdict into the first `Authentication-Results` header: RFC 8601.
 */
function dmarcOf(raw: Buffer): 'PASS' | 'FAIL' {
  const [head = ''] = raw.toString('latin1').split(/\r?\n\r?\n/, 1)
  const unfolded = head.replace(/\r?\n[ \t]+/g, ' ')
  const [, results = ''] = /^authentication-results:(.*)$/im.exec(unfolded) ?? []
  return /\bdmarc=(?!pass\b)/i.test(results) ? 'FAIL' : 'PASS'
}
