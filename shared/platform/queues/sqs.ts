import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { QueueName } from '../../manifest/types.ts'
import { messageBody } from './message-body.ts'
import type { Queues } from './port.ts'

export interface SqsOptions {
  /** The URL of a queue; throws for one that this function was not granted. */
  urlOf(queue: QueueName): string
  endpoint?: string | undefined
}

/** The most that SQS takes in one request. */
const batchSize = 10

/** The queue port over SQS. */
export function sqsQueues({ urlOf, endpoint }: SqsOptions): Queues {
  const client = new SQSClient({ ...(endpoint !== undefined && { endpoint }) })
  return {
    async send(queue, message, options) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: urlOf(queue),
          MessageBody: messageBody(message),
          DelaySeconds: delay(options?.delaySeconds),
        }),
      )
    },

    async sendAll(queue, messages) {
      const batches = Array.from({ length: Math.ceil(messages.length / batchSize) }, (_, i) =>
        messages.slice(i * batchSize, (i + 1) * batchSize),
      )
      for (const batch of batches) {
        const answer = await client.send(
          new SendMessageBatchCommand({
            QueueUrl: urlOf(queue),
            Entries: batch.map(({ body, delaySeconds }, i) => ({
              Id: String(i),
              MessageBody: messageBody(body),
              DelaySeconds: delay(delaySeconds),
            })),
          }),
        )
        const [failed] = answer.Failed ?? []
        if (failed !== undefined) throw new Error(`${queue} refused a message: ${failed.Message}`)
      }
    },
  }
}

/** SQS takes whole seconds, fifteen minutes at most. */
function delay(seconds = 0): number {
  return Math.min(900, Math.max(0, Math.ceil(seconds)))
}
