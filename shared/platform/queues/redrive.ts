import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { deadLetterUrl } from './depth.ts'

/** Moves the messages of a queue's dead-letter queue back into the queue. @returns the number of moved messages */
export type Redrive = (url: string) => Promise<number>

/** The time limit of a request, because an HTTP API waits 30 s. The next request moves the remaining messages. */
const longestMs = 15_000

/** A message that was received but not moved, because its process died, is visible again after this time. */
const visibilitySeconds = 30

/**
 * Moves messages one by one. Each is sent before it is deleted, so that no message is lost if the process dies in
 * between; it may then be delivered twice, like any message.
 * @param endpoint an SQS endpoint other than AWS's
 */
export function queueRedrive(endpoint: string | undefined, now: () => number = Date.now): Redrive {
  const client = new SQSClient({ ...(endpoint !== undefined && { endpoint }), maxAttempts: 2 })
  return async (url) => {
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['RedrivePolicy'] }),
    )
    const dead = deadLetterUrl(url, Attributes?.RedrivePolicy)
    const until = now() + longestMs
    let moved = 0
    while (now() < until) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: dead,
          MaxNumberOfMessages: 10,
          VisibilityTimeout: visibilitySeconds,
        }),
      )
      if (Messages.length === 0) break
      for (const { Body, ReceiptHandle } of Messages) {
        await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: Body }))
        await client.send(new DeleteMessageCommand({ QueueUrl: dead, ReceiptHandle }))
        moved += 1
      }
    }
    return moved
  }
}
