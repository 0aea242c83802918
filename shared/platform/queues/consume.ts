import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type * as z from 'zod'
import { createLog, type Log } from '../log.ts'

export interface ConsumerOptions<Schema extends z.ZodType> {
  /** The function's name, for its log lines. */
  name: string
  schema: Schema
  handle(message: z.output<Schema>, context: { log: Log; receives: number }): Promise<void>
  /** Where the queue is, so that a failed message comes back sooner than its visibility timeout. */
  queueUrl: string
  endpoint?: string | undefined
}

/** Seconds until the next try: 2, 4, 8, … up to five minutes. */
function backoff(receives: number): number {
  return Math.min(300, 2 ** receives)
}

/**
 * A queue function: messages of a batch are handled side by side, each on its own; only those that failed come back,
 * after a growing wait, until the queue moves them to its dead-letter queue.
 */
export function consumer<Schema extends z.ZodType>(options: ConsumerOptions<Schema>) {
  const log = createLog({ function: options.name })
  const client = new SQSClient({ ...(options.endpoint && { endpoint: options.endpoint }) })

  async function retryLater(record: SQSRecord, receives: number): Promise<void> {
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: options.queueUrl,
        ReceiptHandle: record.receiptHandle,
        VisibilityTimeout: backoff(receives),
      }),
    )
  }

  async function one(record: SQSRecord): Promise<string | undefined> {
    const receives = Number(record.attributes.ApproximateReceiveCount)
    try {
      const message = options.schema.parse(JSON.parse(record.body))
      await options.handle(message, { log, receives })
      return undefined
    } catch (error) {
      log.error('message failed', { messageId: record.messageId, receives, error })
      // If this fails too, the message comes back when its visibility timeout ends.
      await retryLater(record, receives).catch((cause: unknown) =>
        log.warn('could not shorten the wait', { messageId: record.messageId, error: cause }),
      )
      return record.messageId
    }
  }

  return async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const failed = await Promise.all(event.Records.map(one))
    return {
      batchItemFailures: failed
        .filter((id) => id !== undefined)
        .map((itemIdentifier) => ({ itemIdentifier })),
    }
  }
}
