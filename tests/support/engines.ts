import { DescribeTasksCommand, ECSClient, ListTasksCommand, type Task } from '@aws-sdk/client-ecs'
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { expect } from 'vitest'
import { clusterName } from '../../stacks/local/engines.ts'
import {
  functions,
  queues,
  type QueueName,
  visibilitySeconds,
} from '../../shared/manifest/index.ts'
import { useLocalCredentials } from './credentials.ts'
import { eventually } from './eventually.ts'

interface Endpoints {
  sqs: string
  ecs: string
}

/** How long a message takes that is handed out twice: the visibility timeout, and as long as anything else may take. */
function redeliveryMs(queue: QueueName): number {
  const consumer = functions.find(
    ({ trigger }) => trigger.kind === 'queue' && trigger.queue === queue,
  )
  return (consumer === undefined ? 0 : visibilitySeconds(consumer) * 1000) + 30_000
}

/** A new client connects again, and costs more than what it is asked; a stack that starts again has other endpoints. */
function onePerEndpoint<Client>(make: (endpoint: string) => Client) {
  const clients = new Map<string, Client>()
  return (endpoint: string): Client => {
    const client = clients.get(endpoint) ?? make(endpoint)
    clients.set(endpoint, client)
    return client
  }
}

type AnyQueue = QueueName | `${QueueName}-dead`

/** What a stack's engines know, asked as AWS would be. */
export function enginesOf(endpoints: () => Endpoints) {
  useLocalCredentials()
  const sqsAt = onePerEndpoint((endpoint) => new SQSClient({ endpoint }))
  const ecsAt = onePerEndpoint((endpoint) => new ECSClient({ endpoint }))
  const sqs = () => sqsAt(endpoints().sqs)
  const ecs = () => ecsAt(endpoints().ecs)

  async function urlOf(queue: AnyQueue): Promise<string> {
    const { QueueUrl = '' } = await sqs().send(new GetQueueUrlCommand({ QueueName: queue }))
    return QueueUrl
  }

  async function counts(queue: AnyQueue) {
    const { Attributes = {} } = await sqs().send(
      new GetQueueAttributesCommand({ QueueUrl: await urlOf(queue), AttributeNames: ['All'] }),
    )
    const { ApproximateNumberOfMessages: waiting } = Attributes
    const { ApproximateNumberOfMessagesNotVisible: inFlight } = Attributes
    const { ApproximateNumberOfMessagesDelayed: delayed } = Attributes
    return { waiting: Number(waiting), inFlight: Number(inFlight), delayed: Number(delayed) }
  }

  /** Messages of a queue: waiting, in flight and, unless told otherwise, delayed. */
  async function depth(queue: AnyQueue, { delayed: counted = true } = {}): Promise<number> {
    const { waiting, inFlight, delayed } = await counts(queue)
    return waiting + inFlight + (counted ? delayed : 0)
  }

  /** Waits until every message of a queue has been dealt with; one whose consumer ran out of time comes again. */
  async function untilEmpty(queue: QueueName): Promise<void> {
    const empty = { queue, waiting: 0, inFlight: 0, delayed: 0 }
    await eventually(
      async () => expect({ queue, ...(await counts(queue)) }).toEqual(empty),
      redeliveryMs(queue),
    )
  }

  /** How many messages each dead-letter queue has got, without those that have none. */
  async function deadLetters(): Promise<Record<string, number>> {
    const counts = await Promise.all(
      queues.map(async ({ name }) => [name, await depth(`${name}-dead`)] as const),
    )
    return Object.fromEntries(counts.filter(([, count]) => count > 0))
  }

  /** Sends up to ten messages at once, so that a consumer gets them in one batch. */
  async function sendBatch(queue: QueueName, messages: readonly unknown[]): Promise<void> {
    await sqs().send(
      new SendMessageBatchCommand({
        QueueUrl: await urlOf(queue),
        Entries: messages.map((message, i) => ({
          Id: String(i),
          MessageBody: typeof message === 'string' ? message : JSON.stringify(message),
        })),
      }),
    )
  }

  /** The bodies of up to ten messages, which stay where they are. */
  async function peek(queue: AnyQueue): Promise<string[]> {
    const { Messages = [] } = await sqs().send(
      new ReceiveMessageCommand({
        QueueUrl: await urlOf(queue),
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 0,
      }),
    )
    return Messages.map(({ Body = '' }) => Body)
  }

  /** Every task that is to run, of one agent or of all. */
  async function wantedTasks(agentId?: string): Promise<Task[]> {
    const client = ecs()
    const tasks: Task[] = []
    let nextToken: string | undefined
    do {
      const page = await client.send(
        new ListTasksCommand({
          cluster: clusterName,
          ...(agentId !== undefined && { startedBy: agentId }),
          ...(nextToken !== undefined && { nextToken }),
        }),
      )
      tasks.push(...(await describe(page.taskArns ?? [])))
      nextToken = page.nextToken
    } while (nextToken !== undefined)
    return tasks
  }

  async function describe(arns: string[]): Promise<Task[]> {
    if (arns.length === 0) return []
    const command = new DescribeTasksCommand({ cluster: clusterName, tasks: arns })
    return (await ecs().send(command)).tasks ?? []
  }

  return { deadLetters, depth, describe, peek, sendBatch, untilEmpty, wantedTasks }
}
