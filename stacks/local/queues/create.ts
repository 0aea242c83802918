import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import {
  type FunctionSpec,
  type QueueName,
  type QueueSpec,
  visibilitySeconds,
} from '#shared/manifest/index.ts'

/** The retention of a message that no consumer handles: fourteen days, the maximum of SQS. */
const retentionSeconds = 14 * 24 * 60 * 60

export interface QueuePlan {
  queues: readonly QueueSpec[]
  functions: readonly FunctionSpec[]
  /** Visibility timeouts in seconds that differ from the manifest's. */
  visibility?: Partial<Record<QueueName, number>> | undefined
}

/** Creates every queue and its dead-letter queue, or updates existing ones to the manifest. */
export async function createQueues(
  client: SQSClient,
  plan: QueuePlan,
): Promise<Record<QueueName, string>> {
  const urls = await Promise.all(
    plan.queues.map(async ({ name, maxReceives }) => {
      const dead = await ensure(client, `${name}-dead`, {})
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['QueueArn'] }),
      )
      const redrive = {
        deadLetterTargetArn: Attributes?.['QueueArn'],
        maxReceiveCount: maxReceives,
      }
      const url = await ensure(client, name, {
        VisibilityTimeout: String(visibilityOf(name, plan)),
        RedrivePolicy: JSON.stringify(redrive),
      })
      return [name, url] as const
    }),
  )
  return Object.fromEntries(urls) as Record<QueueName, string>
}

async function ensure(
  client: SQSClient,
  name: string,
  attributes: Record<string, string>,
): Promise<string> {
  // Create without attributes and set them after: creating an existing queue with other attributes is an error.
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name }))
  if (QueueUrl === undefined) throw new Error(`queue ${name} has no URL`)
  const all = { MessageRetentionPeriod: String(retentionSeconds), ...attributes }
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: all }))
  return QueueUrl
}

function visibilityOf(name: QueueName, { functions, visibility }: QueuePlan): number {
  const consumer = functions.find(
    ({ trigger }) => trigger.kind === 'queue' && trigger.queue === name,
  )
  return visibility?.[name] ?? (consumer === undefined ? 30 : visibilitySeconds(consumer))
}
