import { functions, functionsInLoops, queues as queueSpecs } from '#shared/manifest/index.ts'
import type { Grant, QueueName, Surface } from '#shared/manifest/index.ts'
import { alarm, anyAlarm, highestAlarm, rateAlarm } from './alarm.ts'
import { apis } from './apis.ts'
import { functionOf } from './functions.ts'
import { lambdas } from './placement.ts'
import { queues } from './queues.ts'
import { router } from './router.ts'
import { deadSchedules } from './schedules.ts'
import { services } from './services.ts'

/** The alarm on the failures of messages of all queues. */
export const failingMessages = 'messages-failing'

/** A message of this age is not being consumed, because a failed batch returns every few minutes. */
const oldestMessageSeconds = 15 * 60

for (const { name } of queueSpecs) deadLetters(name, queues[name].dead)
deadLetters('schedules', deadSchedules)

highestAlarm(
  'messages-waiting',
  { description: 'Messages of a queue are not being consumed', threshold: oldestMessageSeconds },
  queueSpecs.map(({ name }) => ({
    namespace: 'AWS/SQS',
    metric: 'ApproximateAgeOfOldestMessage',
    dimensions: { QueueName: queues[name].live.nodes.queue.name },
  })),
)

// A single message that fails is retried and ends in the dead-letter queue. This many failures point to a fault of the
// platform.
const messages = {
  namespace: `AgentPlatform/${$app.stage}`,
  metric: 'MessageFailures',
  dimensions: {},
}
rateAlarm(failingMessages, {
  description: 'Messages fail',
  errors: [messages],
  calls: [{ ...messages, statistic: 'SampleCount' }],
  atLeast: 10,
})

/** The alarm of each HTTP API on its p99 latency. Streams are left out: they take as long as the model. */
export const slowApis = { web: 'web-slow', backend: 'backend-slow', summarizer: 'summarizer-slow' }

for (const [surface, api] of Object.entries(apis) as [Surface, sst.aws.ApiGatewayV2][])
  alarm(slowApis[surface], {
    description: `The p99 latency of ${surface} is 5 s or more`,
    namespace: 'AWS/ApiGateway',
    metric: 'Latency',
    dimensions: { ApiId: api.nodes.api.id },
    statistic: 'p99',
    threshold: 5_000,
  })

for (const { name, trigger } of lambdas) {
  const dimensions = { FunctionName: functionOf(name).name }
  if (trigger.kind === 'schedule')
    alarm(`${name}-silent`, {
      description: `${name} has not run`,
      namespace: 'AWS/Lambda',
      metric: 'Invocations',
      dimensions,
      statistic: 'Sum',
      threshold: 1,
      comparison: 'LessThanThreshold',
      missing: 'breaching',
      // A late tick may fall into the next hour, so a single hour without a tick is not an error yet.
      ...(trigger.everyMinutes > 5 && { period: trigger.everyMinutes * 60, periods: 2 }),
    })
}

anyAlarm(
  'throttles',
  'A function needs more than its reserved instances',
  lambdas
    .filter(({ reserved }) => reserved !== undefined)
    .map(({ name }) => ({
      namespace: 'AWS/Lambda',
      metric: 'Throttles',
      dimensions: { FunctionName: functionOf(name).name },
    })),
)

const looping = functionsInLoops(functions)
const receivers = lambdas.filter(({ trigger }) => ['queue', 'invoke'].includes(trigger.kind))
anyAlarm(
  'recursive-loops',
  'Lambda stopped messages as a recursive loop that the manifest does not show',
  receivers
    .filter(({ name }) => !looping.has(name))
    .map(({ name }) => ({
      namespace: 'AWS/Lambda',
      metric: 'RecursiveInvocationsDropped',
      dimensions: { FunctionName: functionOf(name).name },
    })),
)

/** Payment metrics that a person must act on, and the function that counts each: docs/operate/operations.md, Money. */
const payments = [
  ['payment-mismatches', 'PaymentMismatches', 'A payment differs from its order', 'web-billing'],
  ['unknown-prices', 'UnknownPrices', 'A subscription has an unknown price', 'web-billing'],
  ['refunded-credits', 'RefundedCreditsUsed', 'Refunded credits are already used', 'web-billing'],
  ['disputes', 'Disputes', 'A payment is disputed, or a dispute was lost', 'web-billing'],
  ['refunds-missed', 'RefundsMissed', 'A payment that must be refunded is unknown', 'entitlements'],
  ['users-left-behind', 'UsersLeftBehind', 'A subscription has too many users', 'web-billing'],
  [
    'reconciliation-differences',
    'ReconciliationDifferences',
    'The records of the payment provider differ from ours',
    'reconciliation',
  ],
  [
    'ledger-differences',
    'LedgerDifferences',
    'A credit balance differs from the sum of its postings',
    'reconciliation',
  ],
] as const

/** Split metrics that a person must act on: docs/operate/operations.md, Money. */
const splits = [
  ['failed-splits', 'SplitsFailed', 'A split could not pay every recipient', 'splits'],
  [
    'waiting-wallets',
    'WalletsWaitingForGas',
    'A wallet has too little ETH for its payments',
    'splits',
  ],
  ['node-contradictions', 'NodeContradictions', 'The chain node contradicts itself', 'splits'],
] as const

/** Metrics of what a fault left behind. The log line of a call contains its usage, to settle it by hand. */
const leftBehind = [
  ['orphan-tasks', 'OrphanTasks', 'Containers without an agent were running', 'orphan-tasks'],
  ...senders('settlements').map(
    (by) => [`${by}-usage-not-recorded`, 'UsageNotRecorded', 'A usage record is lost', by] as const,
  ),
] as const

function counted(name: string, metric: string, by: Record<string, string>, description: string) {
  const namespace = `AgentPlatform/${$app.stage}`
  alarm(name, { description, namespace, metric, dimensions: by, statistic: 'Sum', threshold: 1 })
}

for (const [name, metric, description, by] of [...payments, ...splits, ...leftBehind])
  counted(name, metric, { function: by }, description)

counted('negative-balances', 'NegativeBalances', { ledger: 'credits' }, 'A balance is below zero')
const unlisted = 'A provider no longer lists a model that a plan, a task or the demo names'
counted('unlisted-models', 'UnlistedModels', { catalogue: 'models' }, unlisted)

// The user corrects a single failed payment, after a mail. This many point to a fault of the platform or of the
// provider.
alarm('failed-payments', {
  description: 'Many payments fail',
  namespace: `AgentPlatform/${$app.stage}`,
  metric: 'FailedPayments',
  dimensions: { function: 'web-billing' },
  statistic: 'Sum',
  threshold: 5,
})

if (router !== undefined)
  alarm('router-unhealthy', {
    description: 'A router task of the agents’ hosts is unhealthy',
    namespace: 'AWS/ApplicationELB',
    metric: 'UnHealthyHostCount',
    dimensions: {
      LoadBalancer: router.balancer.arnSuffix,
      TargetGroup: router.target.arnSuffix,
    },
    statistic: 'Maximum',
    threshold: 1,
  })

for (const { spec, balancer, target } of services) {
  const dimensions = { LoadBalancer: balancer.arnSuffix, TargetGroup: target.arnSuffix }
  alarm(`${spec.name}-unhealthy`, {
    description: `A container of ${spec.name} is unhealthy`,
    namespace: 'AWS/ApplicationELB',
    metric: 'UnHealthyHostCount',
    dimensions,
    statistic: 'Maximum',
    threshold: 1,
  })
  alarm(`${spec.name}-5xx`, {
    description: `${spec.name} answered with server errors`,
    namespace: 'AWS/ApplicationELB',
    metric: 'HTTPCode_Target_5XX_Count',
    dimensions,
    statistic: 'Sum',
    threshold: 5,
  })
}

function deadLetters(name: string, dead: sst.aws.Queue): void {
  alarm(`${name}-dead`, {
    description: `Messages of ${name} went to the dead-letter queue`,
    namespace: 'AWS/SQS',
    metric: 'ApproximateNumberOfMessagesVisible',
    dimensions: { QueueName: dead.nodes.queue.name },
    statistic: 'Maximum',
    threshold: 1,
  })
}

/** Returns the functions that send to a queue. */
function senders(queue: QueueName): string[] {
  const sends = (grant: Grant) => 'send' in grant && grant.send === queue
  return lambdas.filter(({ grants }) => grants.some(sends)).map(({ name }) => name)
}
