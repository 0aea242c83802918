import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { createLog, type Log, type LogFields } from '../log.ts'
import { type Delivery, readDelivery } from './delivery.ts'
import { RetryAfter } from './retry-after.ts'
import type { Topic } from './topic.ts'

export interface ConsumerOptions<Message> {
  /** The function's name in log lines. */
  name: string
  topic: Topic<Message>
  handle(message: Message, delivery: Delivery, log: Log): Promise<void>
  /** The queue's URL, which is needed to deliver a failed message again before its visibility timeout. */
  queueUrl: string
  endpoint?: string | undefined
}

/** Returns the seconds until the next attempt: 2, 4, 8, … up to five minutes. */
function backoff(receives: number): number {
  return Math.min(300, 2 ** receives)
}

/**
 * Creates a queue's consumer. The messages of a batch are handled concurrently and independently; only failed messages
 * are delivered again, after an increasing delay or at the time of a `RetryAfter`, until the queue moves them to its
 * dead-letter queue. Each delivery writes one log line, with the id of the first request of its chain.
 */
export function consumer<Message>(options: ConsumerOptions<Message>) {
  const schema = options.topic.schema()
  const client = new SQSClient({ ...(options.endpoint && { endpoint: options.endpoint }) })

  async function retryLater(record: SQSRecord, seconds: number): Promise<void> {
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: options.queueUrl,
        ReceiptHandle: record.receiptHandle,
        VisibilityTimeout: seconds,
      }),
    )
  }

  async function one(record: SQSRecord): Promise<string | undefined> {
    const started = performance.now()
    const delivery = readDelivery(record)
    const { id, requestId, askedBy, receives } = delivery
    const log = createLog({ function: options.name, requestId })
    const { queue } = options.topic
    const write = (level: 'info' | 'error', ms: number, outcome: LogFields) =>
      log[level](
        'message',
        { queue, messageId: id, actor: askedBy.split(':', 1)[0], receives, ms, ...outcome },
        {
          // The failures of all queues are one metric too, because an alarm on a rate can read only ten metrics.
          by: [['queue'], []],
          of: {
            MessageLatency: [ms, 'Milliseconds'],
            MessageFailures: [level === 'error' ? 1 : 0, 'Count'],
          },
        },
      )
    const elapsed = () => Math.round((performance.now() - started) * 100) / 100
    try {
      await options.handle(schema.parse(delivery.body), delivery, log)
      write('info', elapsed(), { outcome: 'done' })
      return undefined
    } catch (error) {
      const ms = elapsed()
      const waits = error instanceof RetryAfter
      // If this also fails, the message is delivered again after its visibility timeout.
      const retryError = await retryLater(record, waits ? error.seconds : backoff(receives)).catch(
        (cause: unknown) => cause,
      )
      write(waits ? 'info' : 'error', ms, {
        ...(waits
          ? { outcome: 'waits', reason: error.message, seconds: error.seconds }
          : { outcome: 'failed', error }),
        ...(retryError !== undefined && { retryError }),
      })
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
