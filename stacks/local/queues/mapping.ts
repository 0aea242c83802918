import { setTimeout as wait } from 'node:timers/promises'
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { FunctionSpec } from '../../../shared/manifest/index.ts'
import type { FunctionHost } from '../functions/host.ts'
import { failedMessages, toQueueEvent } from './event.ts'

/** Batches of one queue that are handled at a time. */
const concurrency = 3

/** Seconds that one request waits for messages: the longest that SQS allows. */
const pollSeconds = 20

export interface MappingOptions {
  client: SQSClient
  host: FunctionHost
  spec: FunctionSpec
  batchSize: number
  queueUrl: string
  queueArn: string
  /** What went wrong, beside a batch that failed: those messages come back by themselves. */
  onProblem(message: string, error: unknown): void
}

export interface Mapping {
  /** Polls no more; resolves once the batches under way are done with. */
  close(): Promise<void>
}

/** An event source mapping: takes messages as they come and deletes those that the function did not fail. */
export function startMapping(options: MappingOptions): Mapping {
  const { client, host, spec, queueUrl, onProblem } = options
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()

  async function handle(messages: readonly Message[]): Promise<void> {
    const event = toQueueEvent(messages, options.queueArn)
    const outcome = await host.invoke(spec.name, event)
    const ids = new Set(messages.map(({ MessageId }) => MessageId ?? ''))
    const failed = failedMessages(outcome.streamed ? null : outcome.result, ids)
    const done =
      failed === 'all' ? [] : messages.filter(({ MessageId = '' }) => !failed.has(MessageId))
    if (done.length === 0) return
    const { Failed = [] } = await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: done.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle })),
      }),
    )
    if (Failed.length > 0)
      onProblem(`${Failed.length} messages were not deleted`, Failed[0]?.Message)
  }

  async function receive(): Promise<readonly Message[]> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: options.batchSize,
        WaitTimeSeconds: pollSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: stopping.signal },
    )
    return Messages
  }

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const messages = await receive()
        if (messages.length === 0) continue
        const batch = handle(messages)
          .catch((error: unknown) => onProblem('a batch failed', error))
          .finally(() => underWay.delete(batch))
        underWay.add(batch)
        if (underWay.size >= concurrency) await Promise.race(underWay)
      } catch (error) {
        if (stopping.signal.aborted) return
        onProblem('could not poll', error)
        await wait(1000, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }

  const polling = poll()
  return {
    async close() {
      stopping.abort()
      await polling
      await Promise.all(underWay)
    },
  }
}
