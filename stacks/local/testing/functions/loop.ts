import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'

const client = new SQSClient({ endpoint: process.env['SQS_ENDPOINT'] ?? '' })

/** A queue function whose messages are numbers: it sends its own queue each number less one, until one. */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { body } of event.Records) {
    process.stdout.write(`${JSON.stringify({ left: { name: process.env['NAME'], body } })}\n`)
    const less = String(Number(body) - 1)
    if (less !== '0')
      await client.send(
        new SendMessageCommand({ QueueUrl: process.env['QUEUE_URL'], MessageBody: less }),
      )
  }
}
