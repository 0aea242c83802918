import type { SendMessageBatchResult } from '@aws-sdk/client-sqs'
import type { QueueName } from '#shared/manifest/queues.ts'
import { askService } from '../aws/ask.ts'
import { chunks } from '../chunks.ts'
import { enveloped } from './envelope.ts'
import type { QueuesFor } from './port.ts'

export interface SqsOptions<Queue extends QueueName> {
  /** Returns the URL of a queue; throws for a queue that is not granted to this function. */
  urlOf: (queue: Queue) => string
  endpoint?: string | undefined
}

/** The maximum number of messages that SQS accepts in one request. */
const batchSize = 10

/** The queue port over SQS. */
export function sqsQueues<Queue extends QueueName>({
  urlOf,
  endpoint,
}: SqsOptions<Queue>): QueuesFor<Queue> {
  const ask = askService({ name: 'sqs', target: 'AmazonSQS', endpoint, attempts: 3 })
  return (origin) => ({
    async send({ queue }, body, options) {
      await ask('SendMessage', {
        QueueUrl: urlOf(queue),
        MessageBody: messageBody(enveloped(origin, body)),
        DelaySeconds: delay(options?.delaySeconds),
      })
    },

    async sendAll({ queue }, bodies, options) {
      for (const batch of chunks(bodies, batchSize)) {
        const answer = await ask('SendMessageBatch', {
          QueueUrl: urlOf(queue),
          Entries: batch.map((body, i) => ({
            Id: String(i),
            MessageBody: messageBody(enveloped(origin, body)),
            DelaySeconds: delay(options?.delaySeconds),
          })),
        })
        const [failed] = (answer as Partial<SendMessageBatchResult>).Failed ?? []
        if (failed !== undefined) throw new Error(`${queue} refused a message: ${failed.Message}`)
      }
    },
  })
}

/** Returns a delay in whole seconds, at most 15 minutes, as SQS requires. */
function delay(seconds = 0): number {
  return Math.min(900, Math.max(0, Math.ceil(seconds)))
}

/**
 * Characters that JSON does not escape although a queue may refuse them: SQS refuses U+FFFE and U+FFFF, and some
 * local engines refuse characters beyond U+FFFF, which are surrogate pairs here.
 */
const rejectedCharacters = /[\uD800-\uDFFF\uFFFE\uFFFF]/g

/** Returns a value as the body of a message: JSON, with escapes for characters that a queue may refuse. */
function messageBody(value: unknown): string {
  return JSON.stringify(value).replace(
    rejectedCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  )
}
