import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'

/** Asks whether a queue is there; reads no message. @throws Error where it is not */
export function queueProbe(url: string, endpoint: string | undefined): () => Promise<void> {
  const client = new SQSClient({ ...(endpoint !== undefined && { endpoint }), maxAttempts: 1 })
  return async () => {
    await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
    )
  }
}
