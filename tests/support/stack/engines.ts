import { DescribeTasksCommand, ECSClient, ListTasksCommand, type Task } from '@aws-sdk/client-ecs'
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { expect } from 'vitest'
import { functions, queues, type QueueName, visibilitySeconds } from '#shared/manifest/index.ts'
import { clusterName } from '#stacks/local/engines.ts'
import { eventually } from '../clock/eventually.ts'
import { useLocalCredentials } from '../platform/credentials.ts'

interface Endpoints {
  sqs: string
  ecs: string
}

/**
 * Returns the time after which a message may be delivered again: the queue's visibility timeout, plus a margin of 30 s
 * for a slow machine.
 */
function redeliveryMs(queue: QueueName): number {
  const consumer = functions.find(
    ({ trigger }) => trigger.kind === 'queue' && trigger.queue === queue,
  )
  return (consumer === undefined ? 0 : visibilitySeconds(consumer) * 1000) + 30_000
}

/**
 * Creates one client per endpoint. A new client must connect again, which costs more than the call; a restarted stack
 * has new endpoints.
 */
function onePerEndpoint<Client>(make: (endpoint: string) => Client) {
  const clients = new Map<string, Client>()
  return (endpoint: string): Client => {
    const client = clients.get(endpoint) ?? make(endpoint)
    clients.set(endpoint, client)
    return client
  }
}

type AnyQueue = QueueName | `${QueueName}-dead`

/** Reads the state of a stack's engines through the APIs of AWS. */
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

  /** Returns the number of messages in a queue: waiting, in flight and, by default, delayed. */
  async function depth(queue: AnyQueue, { delayed: counted = true } = {}): Promise<number> {
    const { waiting, inFlight, delayed } = await counts(queue)
    return waiting + inFlight + (counted ? delayed : 0)
  }

  /** Waits until a queue is empty. A message whose consumer timed out is delivered again first. */
  async function untilEmpty(queue: QueueName): Promise<void> {
    const empty = { queue, waiting: 0, inFlight: 0, delayed: 0 }
    await eventually(
      async () => expect({ queue, ...(await counts(queue)) }).toEqual(empty),
      redeliveryMs(queue),
    )
  }

  /** Returns the number of messages in each dead-letter queue that is not empty. */
  async function deadLetters(): Promise<Record<string, number>> {
    const counts = await Promise.all(
      queues.map(async ({ name }) => [name, await depth(`${name}-dead`)] as const),
    )
    return Object.fromEntries(counts.filter(([, count]) => count > 0))
  }

  /** Sends up to ten messages in one request, so that a consumer receives them in one batch. */
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

  /** Returns the bodies of up to ten messages, which stay in the queue. */
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

  /** Returns every task whose desired status is RUNNING, of one agent or of all agents. */
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
