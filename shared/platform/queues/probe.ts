import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'

/** Checks that a queue exists; reads no message. @throws Error if it does not exist */
export function queueProbe(url: string, endpoint: string | undefined): () => Promise<void> {
  const client = new SQSClient({ ...(endpoint !== undefined && { endpoint }), maxAttempts: 1 })
  return async () => {
    await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
    )
  }
}
