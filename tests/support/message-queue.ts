import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { QueueName } from '../../shared/manifest/types.ts'
import type { Queues } from '../../shared/platform/queues/port.ts'
import { sqsQueues } from '../../shared/platform/queues/sqs.ts'
import { startQueueEngine } from '../../stacks/local/queues/engine.ts'
import { useLocalCredentials } from './credentials.ts'

export interface MessageQueue {
  queues: Queues
  /** Takes every message that waits. */
  take(): Promise<unknown[]>
  close(): Promise<void>
}

/** One queue in an engine of its own, over the wire, that only the test consumes. */
export async function startMessageQueue(QueueName: QueueName, dir: string): Promise<MessageQueue> {
  useLocalCredentials()
  const engine = await startQueueEngine({ dir })
  const { endpoint } = engine
  const client = new SQSClient({ endpoint })
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName }))

  async function take(): Promise<unknown[]> {
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 })
    const { Messages = [] } = await client.send(receive)
    for (const { ReceiptHandle } of Messages)
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    const bodies = Messages.map(({ Body = '' }): unknown => JSON.parse(Body))
    return bodies.length === 0 ? [] : [...bodies, ...(await take())]
  }

  return {
    queues: sqsQueues({ urlOf: () => QueueUrl, endpoint }),
    take,
    async close() {
      client.destroy()
      await engine.close()
    },
  }
}
