import { setTimeout as wait } from 'node:timers/promises'
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { type FunctionSpec, maxInvocationsInChain } from '#shared/manifest/index.ts'
import type { FunctionHost } from '../functions/host.ts'
import { failedMessages, toQueueEvent } from './event.ts'
import { lineageOf, traceHeader } from './lineage.ts'

/** The maximum number of concurrent batches of a queue. */
const concurrency = 3

/** The longest that one request waits for messages, in seconds: the maximum of SQS. */
const pollSeconds = 20

/** The maximum number of messages that SQS receives or deletes in one request. */
const maxAtOnce = 10

export interface MappingOptions {
  client: SQSClient
  host: FunctionHost
  spec: FunctionSpec
  batchSize: number
  /** The wait for more messages after the first, in seconds; default 0. */
  windowSeconds?: number | undefined
  queueUrl: string
  queueArn: string
  /** True if the function may receive messages of its own forever: its recursion configuration on Lambda. */
  loops: boolean
  /** Receives problems other than failed batches. SQS delivers the messages of a failed batch again. */
  onProblem(message: string, error: unknown): void
}

export interface Mapping {
  /** Stops polling. Resolves when the running batches are done. */
  close(): Promise<void>
}

/** Returns whether a message is delivered for the first time. */
const isFirst = ({ Attributes }: Message) => Attributes?.ApproximateReceiveCount === '1'

function loopOf({ name }: FunctionSpec): string {
  return `the function ${name} was invoked ${maxInvocationsInChain} times in one chain of messages, and no grant in the manifest shows this loop`
}

/** Starts an event source mapping: receives messages and deletes those that the function handled. */
export function startMapping(options: MappingOptions): Mapping {
  const { client, host, spec, batchSize, windowSeconds = 0, queueUrl, onProblem } = options
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()

  async function handle(messages: readonly Message[]): Promise<void> {
    const lineage = lineageOf(messages, spec.name)
    if (!options.loops && (lineage[spec.name] ?? 0) > maxInvocationsInChain) {
      // The messages stay in the queue and end in the dead-letter queue, as on Lambda.
      if (messages.some(isFirst)) onProblem('recursive loop stopped', loopOf(spec))
      return
    }
    const event = toQueueEvent(messages, options.queueArn)
    const outcome = await host.invoke(spec.name, event, { trace: traceHeader(lineage) })
    const ids = new Set(messages.map(({ MessageId }) => MessageId ?? ''))
    const failed = failedMessages(outcome.streamed ? null : outcome.result, ids)
    const done =
      failed === 'all' ? [] : messages.filter(({ MessageId = '' }) => !failed.has(MessageId))
    if (done.length === 0) return
    for (let i = 0; i < done.length; i += maxAtOnce) await remove(done.slice(i, i + maxAtOnce))
  }

  async function remove(done: readonly Message[]): Promise<void> {
    const { Failed = [] } = await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: done.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle })),
      }),
    )
    if (Failed.length > 0)
      onProblem(`${Failed.length} messages were not deleted`, Failed[0]?.Message)
  }

  async function receive(most: number, seconds: number): Promise<readonly Message[]> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(maxAtOnce, most),
        WaitTimeSeconds: seconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: stopping.signal },
    )
    return Messages
  }

  async function gather(): Promise<readonly Message[]> {
    const messages = [...(await receive(batchSize, pollSeconds))]
    const until = Date.now() + windowSeconds * 1000
    while (messages.length > 0 && messages.length < batchSize) {
      const seconds = Math.floor((until - Date.now()) / 1000)
      if (seconds < 1) break
      // If this request fails, the messages received so far are still handled.
      const more = await receive(batchSize - messages.length, seconds).catch(() => undefined)
      if (more === undefined) break
      messages.push(...more)
    }
    return messages
  }

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const messages = await gather()
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
