import { GetQueueAttributesCommand, type QueueAttributeName, SQSClient } from '@aws-sdk/client-sqs'

/** The approximate numbers of messages in a queue and its dead-letter queue. SQS updates them at intervals. */
interface Depth {
  waiting: number
  /** Received by a consumer and not deleted yet. */
  inFlight: number
  /** Sent with a delay that has not passed. */
  delayed: number
  dead: number
}

/** Returns the depth of the queue with a URL; reads no message. */
export type DepthOf = (url: string) => Promise<Depth>

/** @param endpoint an SQS endpoint other than AWS's */
export function queueDepth(endpoint: string | undefined): DepthOf {
  const client = new SQSClient({ ...(endpoint !== undefined && { endpoint }), maxAttempts: 2 })
  const ask = async (QueueUrl: string, AttributeNames: QueueAttributeName[]) =>
    (await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes ??
    {}
  return async (url) => {
    const live = await ask(url, [
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
      'RedrivePolicy',
    ])
    const dead = await ask(deadLetterUrl(url, live.RedrivePolicy), ['ApproximateNumberOfMessages'])
    return {
      waiting: Number(live.ApproximateNumberOfMessages),
      inFlight: Number(live.ApproximateNumberOfMessagesNotVisible),
      delayed: Number(live.ApproximateNumberOfMessagesDelayed),
      dead: Number(dead.ApproximateNumberOfMessages),
    }
  }
}

/**
 * Returns the approximate number of messages that wait in one queue. @param endpoint an SQS endpoint other than
 * AWS's
 */
export function waitingIn(endpoint: string | undefined, QueueUrl: string): () => Promise<number> {
  const client = new SQSClient({ ...(endpoint !== undefined && { endpoint }), maxAttempts: 2 })
  return async () => {
    const AttributeNames: QueueAttributeName[] = ['ApproximateNumberOfMessages']
    const answer = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))
    return Number(answer.Attributes?.ApproximateNumberOfMessages ?? 0)
  }
}

/**
 * Returns the URL of the dead-letter queue. Both queues belong to the same account and region, so that their URLs
 * differ only in the name.
 */
export function deadLetterUrl(url: string, policy: string | undefined): string {
  const { deadLetterTargetArn = '' } = JSON.parse(policy ?? '{}') as {
    deadLetterTargetArn?: string
  }
  const name = deadLetterTargetArn.split(':').at(-1)
  if (!name) throw new Error(`${url} has no dead-letter queue`)
  return new URL(name, url).href
}
