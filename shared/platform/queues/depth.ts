import { GetQueueAttributesCommand, type QueueAttributeName, SQSClient } from '@aws-sdk/client-sqs'

/** How many messages a queue and its dead-letter queue hold, about: SQS counts them now and then. */
export interface Depth {
  waiting: number
  /** Held by a consumer. */
  inFlight: number
  /** Not due yet. */
  delayed: number
  dead: number
}

/** Asks for a queue's depth by its URL; reads no message. */
export type DepthOf = (url: string) => Promise<Depth>

/** @param endpoint another engine than AWS's own */
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

/** How many messages of one queue wait to be handed out, about. @param endpoint another engine than AWS's own */
export function waitingIn(endpoint: string | undefined, QueueUrl: string): () => Promise<number> {
  const client = new SQSClient({ ...(endpoint !== undefined && { endpoint }), maxAttempts: 2 })
  return async () => {
    const AttributeNames: QueueAttributeName[] = ['ApproximateNumberOfMessages']
    const answer = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))
    return Number(answer.Attributes?.ApproximateNumberOfMessages ?? 0)
  }
}

/** Both queues are of one account and region, so that their URLs differ by their names alone. */
export function deadLetterUrl(url: string, policy: string | undefined): string {
  const { deadLetterTargetArn = '' } = JSON.parse(policy ?? '{}') as {
    deadLetterTargetArn?: string
  }
  const name = deadLetterTargetArn.split(':').at(-1)
  if (!name) throw new Error(`${url} has no dead-letter queue`)
  return new URL(name, url).href
}
