import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { QueueName } from '#shared/manifest/queues.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { sqsQueues } from '#shared/platform/queues/sqs.ts'
import { startQueueEngine } from '#stacks/local/queues/engine.ts'
import { toQueueEvent } from '#stacks/local/queues/event.ts'
import { useLocalCredentials } from './credentials.ts'

/** The origin of messages that the tests send themselves. */
export const testOrigin = { requestId: 'req_of_the_test', askedBy: 'public' }

/** A sender without a queue behind it: every send fails. */
export const noQueues = sqsQueues({ urlOf: () => 'http://127.0.0.1:1/none' })(testOrigin)

export interface MessageQueue {
  queues: Queues
  url: string
  endpoint: string
  /** Sends a text without encoding. */
  put(text: string): Promise<void>
  /** Receives up to ten messages, which are then in flight. */
  receive(): Promise<Message[]>
  /**
   * Delivers up to ten messages to a consumer. The messages that it reports as failed return to the queue immediately.
   */
  deliver(handler: (event: SQSEvent) => Promise<SQSBatchResponse>): Promise<void>
  /** Takes the raw text of every waiting message. */
  takeTexts(): Promise<string[]>
  /** Takes the bodies of the messages that the platform sent. */
  take(): Promise<unknown[]>
  close(): Promise<void>
}

/** Starts one queue in an engine of its own, over SQS's protocol; only the test consumes it. */
export async function startMessageQueue(QueueName: QueueName, dir: string): Promise<MessageQueue> {
  useLocalCredentials()
  const engine = await startQueueEngine({ dir })
  const { endpoint } = engine
  const client = new SQSClient({ endpoint })
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName }))

  async function receive(): Promise<Message[]> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
      }),
    )
    return Messages
  }

  async function takeTexts(): Promise<string[]> {
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 })
    const { Messages = [] } = await client.send(receive)
    for (const { ReceiptHandle } of Messages)
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    const texts = Messages.map(({ Body = '' }) => Body)
    return texts.length === 0 ? [] : [...texts, ...(await takeTexts())]
  }

  return {
    queues: sqsQueues({ urlOf: () => QueueUrl, endpoint })(testOrigin),
    url: QueueUrl,
    endpoint,
    async put(MessageBody) {
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody }))
    },
    receive,
    async deliver(handler) {
      const messages = await receive()
      const { batchItemFailures } = await handler(toQueueEvent(messages, 'arn'))
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
      for (const { MessageId = '', ReceiptHandle } of messages) {
        const of = { QueueUrl, ReceiptHandle }
        await (failed.has(MessageId)
          ? client.send(new ChangeMessageVisibilityCommand({ ...of, VisibilityTimeout: 0 }))
          : client.send(new DeleteMessageCommand(of)))
      }
    },
    takeTexts,
    take: async () =>
      (await takeTexts()).map((text) => (JSON.parse(text) as { body: unknown }).body),
    async close() {
      client.destroy()
      await engine.close()
    },
  }
}
