import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { mapAllAgents } from '#shared/agents/record/list.ts'
import { queueVariable } from '#shared/manifest/index.ts'
import { startQueueEngine } from '#stacks/local/queues/engine.ts'
import { startTestTable } from '#tests/support/platform/table.ts'
import { seed, startGateways } from './agents.ts'
import { type Invocation, openSandbox } from './sandbox.ts'

/** The consumption of one watchdog round, including its checks. */
export interface Round {
  agents: number
  /** CPU time of both functions, in milliseconds. */
  tickCpuMs: number
  checksCpuMs: number
  seconds: number
  /** The peak memory of each function's process. */
  tickMb: number
  checksMb: number
  failing: number
  found: number
  /** The number of healthy agents that were judged otherwise. */
  wrong: number
}

/** SQS's maximum per receive, which is also the function's batch size. */
const batchSize = 10

/** Runs one tick and then all of its checks in parallel, in the functions' own bundles and processes. */
export async function runRound(agents: number): Promise<Round> {
  await using resources = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'bench-watchdog-'))
  resources.defer(() => rm(dir, { recursive: true, force: true }))
  const { table, tableName, endpoint, close } = await startTestTable()
  resources.defer(close)
  const gateways = await startGateways()
  resources.defer(gateways.close)
  const engine = await startQueueEngine({ dir })
  resources.defer(() => engine.close())
  const sqs = new SQSClient({ endpoint: engine.endpoint })
  const urls: Record<string, string> = {}
  for (const name of ['checks', 'notices', 'provisioning', 'task-states'] as const) {
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }))
    urls[queueVariable(name)] = QueueUrl
  }
  const environment = {
    PLATFORM_STAGE: 'local',
    TABLE_NAME: tableName,
    DYNAMODB_ENDPOINT: endpoint,
    SQS_ENDPOINT: engine.endpoint,
    WALLET_ENCRYPTION_KEY: 'a key that is long enough for the bench',
    ...urls,
  }
  const watchdog = await openSandbox('watchdog', environment)
  resources.defer(() => watchdog.close())
  const checks = await openSandbox('checks', environment)
  resources.defer(() => checks.close())

  // Warm up the sandbox: the first agents pay for compilation and connections.
  await seed(table, 50, gateways)
  await watchdog.invoke({})
  await drain(sqs, urls.QUEUE_URL_CHECKS ?? '', checks)
  const warm = new Set(await mapAllAgents({ table }, ({ id }) => id))
  const failing = await seed(table, agents, gateways)

  // Both ticks of a round are for past minutes, so that no check is delayed.
  const first = Date.now() - 60_000
  const tick = { cpuMs: 0, maxRssMb: 0 }
  const drained = { cpuMs: 0, maxRssMb: 0 }
  let seconds = 0
  for (const at of [first, first + 60_000]) {
    await wait(Math.max(0, at + 60_000 - Date.now()))
    const began = performance.now()
    add(tick, await watchdog.invoke({ time: new Date(at).toISOString() }))
    add(drained, await drain(sqs, urls.QUEUE_URL_CHECKS ?? '', checks))
    seconds += (performance.now() - began) / 1000
  }
  const after = await mapAllAgents({ table }, (agent) => (warm.has(agent.id) ? undefined : agent))
  const degraded = after.filter(({ watchdog: { state } }) => state !== 'running')
  return {
    agents,
    tickCpuMs: tick.cpuMs,
    checksCpuMs: drained.cpuMs,
    seconds,
    tickMb: tick.maxRssMb,
    checksMb: drained.maxRssMb,
    failing: failing.size,
    found: degraded.filter(({ id }) => failing.has(id)).length,
    wrong: degraded.filter(({ id }) => !failing.has(id)).length,
  }
}

function add(sum: Spent, { cpuMs, maxRssMb }: Spent): void {
  sum.cpuMs += cpuMs
  sum.maxRssMb = Math.max(sum.maxRssMb, maxRssMb)
}

type Spent = Pick<Invocation, 'cpuMs' | 'maxRssMb'>

type Sandbox = Awaited<ReturnType<typeof openSandbox>>

/** Handles waiting messages batch by batch until the queue is empty. Delayed messages belong to a later step. */
async function drain(sqs: SQSClient, QueueUrl: string, checks: Sandbox) {
  const total = { cpuMs: 0, maxRssMb: 0 }
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: batchSize,
        MessageSystemAttributeNames: ['All'],
      }),
    )
    if (Messages.length === 0) return total
    const { answer, cpuMs, maxRssMb } = await checks.invoke({ Records: Messages.map(toRecord) })
    const { batchItemFailures } = answer as { batchItemFailures: unknown[] }
    if (batchItemFailures.length > 0) throw new Error('checks failed')
    total.cpuMs += cpuMs
    total.maxRssMb = maxRssMb
    await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl,
        Entries: Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle })),
      }),
    )
  }
}

function toRecord({ MessageId, ReceiptHandle, Body, Attributes }: Message) {
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes ?? {},
  }
}
