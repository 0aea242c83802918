import { apis } from './apis.ts'
import { functionOf } from './functions.ts'
import { queues as queueSpecs } from '../shared/manifest/index.ts'
import type { Grant, QueueName, Surface } from '../shared/manifest/index.ts'
import { named, pascal } from './names.ts'
import { lambdas } from './placement.ts'
import { queues } from './queues.ts'
import { router } from './router.ts'
import { deadSchedules } from './schedules.ts'
import { services } from './services.ts'
import { streams } from './streams.ts'

/** Every alarm of the stage, by the name that it has below. */
const alarms = new Map<string, aws.cloudwatch.MetricAlarm>()

/** Where alarms go; ADMIN_EMAILS are subscribed, each once its owner has agreed by the link in SNS's mail. */
const topic = new aws.sns.Topic('Alarms', { name: named('alarms') })

for (const [index, email] of admins().entries())
  new aws.sns.TopicSubscription(`AlarmsTo${index}`, {
    topic: topic.arn,
    protocol: 'email',
    endpoint: email,
  })

/** A queue message this old is not being consumed: a batch that fails comes back every few minutes. */
const oldestMessageSeconds = 15 * 60

for (const { name } of queueSpecs) {
  const { dead, live } = queues[name]
  deadLetters(name, dead)
  // One message that failed comes back, and is given up in the end; as many as this are a fault of ours.
  alarm(`${name}-failing`, {
    description: `Messages of ${name} fail`,
    namespace: `AgentPlatform/${$app.stage}`,
    metric: 'MessageFailures',
    dimensions: { queue: name },
    statistic: 'Sum',
    threshold: 10,
  })
  alarm(`${name}-age`, {
    description: `Messages of ${name} are not being consumed`,
    namespace: 'AWS/SQS',
    metric: 'ApproximateAgeOfOldestMessage',
    dimensions: { QueueName: live.nodes.queue.name },
    statistic: 'Maximum',
    threshold: oldestMessageSeconds,
  })
}
deadLetters('schedules', deadSchedules)

/** The alarm of each HTTP API on its slowest hundredth of answers. What streams is as slow as the model that it waits for. */
export const slowApis = { web: 'web-slow', backend: 'backend-slow', summarizer: 'summarizer-slow' }

for (const [surface, api] of Object.entries(apis) as [Surface, sst.aws.ApiGatewayV2][])
  alarm(slowApis[surface], {
    description: `A hundredth of what ${surface} answers takes 5 s or more`,
    namespace: 'AWS/ApiGateway',
    metric: 'Latency',
    dimensions: { ApiId: api.nodes.api.id },
    statistic: 'p99',
    threshold: 5_000,
  })

for (const { name, trigger, reserved } of lambdas) {
  const dimensions = { FunctionName: functionOf(name).name }
  alarm(`${name}-errors`, {
    description: `${name} ended with an error`,
    namespace: 'AWS/Lambda',
    metric: 'Errors',
    dimensions,
    statistic: 'Sum',
    threshold: 1,
  })
  if (reserved !== undefined)
    alarm(`${name}-throttles`, {
      description: `${name} had work for more than its ${reserved} instances`,
      namespace: 'AWS/Lambda',
      metric: 'Throttles',
      dimensions,
      statistic: 'Sum',
      threshold: 1,
    })
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
      // A tick that is a little late may fall into the next hour, so one hour without any is nothing yet.
      ...(trigger.everyMinutes > 5 && { period: trigger.everyMinutes * 60, periods: 2 }),
    })
}

/** What is counted of payments that a person must look at, and by which function: docs/operations.md, Money. */
const payments = [
  ['payment-mismatches', 'PaymentMismatches', 'A payment is not as it was ordered', 'web-billing'],
  ['unknown-prices', 'UnknownPrices', 'A subscription has a price that no plan has', 'web-billing'],
  ['refunded-credits', 'RefundedCreditsUsed', 'Credits were refunded that are used', 'web-billing'],
  ['disputes', 'Disputes', 'A payment is disputed, or a dispute was lost', 'web-billing'],
  ['refunds-missed', 'RefundsMissed', 'A payment to pay back is not known', 'entitlements'],
  ['users-left-behind', 'UsersLeftBehind', 'A subscription has too many users', 'web-billing'],
  [
    'reconciliation-differences',
    'ReconciliationDifferences',
    'The payment provider and we say different things',
    'reconciliation',
  ],
  [
    'ledger-differences',
    'LedgerDifferences',
    'A balance of credits is not the sum of its postings',
    'reconciliation',
  ],
] as const

/** What is counted of splits that a person must look at: docs/operations.md, Money. */
const splits = [
  ['failed-splits', 'SplitsFailed', 'A split could not pay every recipient', 'splits'],
  [
    'waiting-wallets',
    'WalletsWaitingForGas',
    'A wallet has too little ETH for its payments',
    'splits',
  ],
  ['node-contradictions', 'NodeContradictions', 'The chain’s node says what cannot be', 'splits'],
] as const

/** What is counted of what a fault left behind; the line of a call has what it used, to be settled by hand. */
const leftBehind = [
  ['orphan-tasks', 'OrphanTasks', 'Containers ran that belong to no agent', 'orphan-tasks'],
  ...senders('settlements').map(
    (by) => [`${by}-usage-not-recorded`, 'UsageNotRecorded', 'A record is lost', by] as const,
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

// One failed payment is its user's to mend, who gets a mail; as many as this are a fault of ours or of the provider.
alarm('failed-payments', {
  description: 'Many payments fail',
  namespace: `AgentPlatform/${$app.stage}`,
  metric: 'FailedPayments',
  dimensions: { function: 'web-billing' },
  statistic: 'Sum',
  threshold: 5,
})

for (const [surface, api] of Object.entries(apis))
  if (surface !== 'summarizer') serverErrors(surface, '5xx', { ApiId: api.nodes.api.id })

// API Gateway counts every 500, and spec.md has the summarizer answer 500 for pages that cannot be read, which anyone may
// name: our own count leaves those out.
for (const { name, trigger } of lambdas)
  if (trigger.kind === 'http' && trigger.surface === 'summarizer')
    alarm(`${name}-failures`, {
      description: `${name} answered with failures of its own`,
      namespace: `AgentPlatform/${$app.stage}`,
      metric: 'RequestFailures',
      dimensions: { function: name },
      statistic: 'Sum',
      threshold: 5,
    })

for (const [surface, api] of Object.entries(streams))
  serverErrors(`${surface}-streams`, '5XXError', { ApiName: api.name })

if (router !== undefined)
  alarm('router-unhealthy', {
    description: 'A router of the agents’ hosts does not answer',
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
    description: `A container of ${spec.name} does not answer`,
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
    description: `Messages of ${name} were given up`,
    namespace: 'AWS/SQS',
    metric: 'ApproximateNumberOfMessagesVisible',
    dimensions: { QueueName: dead.nodes.queue.name },
    statistic: 'Maximum',
    threshold: 1,
  })
}

function serverErrors(
  name: string,
  metric: string,
  dimensions: Record<string, $util.Input<string>>,
): void {
  alarm(`${name}-5xx`, {
    description: `${name} answered with server errors`,
    namespace: 'AWS/ApiGateway',
    metric,
    dimensions,
    statistic: 'Sum',
    threshold: 5,
  })
}

interface Alarm {
  description: string
  namespace: string
  metric: string
  dimensions: Record<string, $util.Input<string>>
  statistic: 'Maximum' | 'Sum' | 'p99'
  threshold: number
  /** In seconds; five minutes unless told. */
  period?: number
  /** How many periods in a row. */
  periods?: number
  comparison?: 'GreaterThanOrEqualToThreshold' | 'LessThanThreshold'
  /** What it means when nothing was measured. */
  missing?: 'breaching' | 'notBreaching'
}

function alarm(name: string, given: Alarm): void {
  const made = new aws.cloudwatch.MetricAlarm(`${pascal(name)}Alarm`, {
    name: named(name),
    alarmDescription: given.description,
    namespace: given.namespace,
    metricName: given.metric,
    dimensions: given.dimensions,
    ...(given.statistic === 'p99'
      ? { extendedStatistic: 'p99', evaluateLowSampleCountPercentiles: 'ignore' }
      : { statistic: given.statistic }),
    period: given.period ?? 300,
    evaluationPeriods: given.periods ?? 1,
    threshold: given.threshold,
    comparisonOperator: given.comparison ?? 'GreaterThanOrEqualToThreshold',
    treatMissingData: given.missing ?? 'notBreaching',
    alarmActions: [topic.arn],
    okActions: [topic.arn],
  })
  alarms.set(name, made)
}

/** The alarm that is called so. @throws Error when there is none */
export function alarmNamed(name: string): aws.cloudwatch.MetricAlarm {
  const found = alarms.get(name)
  if (found === undefined) throw new Error(`no alarm is called ${name}`)
  return found
}

/** The functions that send to a queue. */
function senders(queue: QueueName): string[] {
  const sends = (grant: Grant) => 'send' in grant && grant.send === queue
  return lambdas.filter(({ grants }) => grants.some(sends)).map(({ name }) => name)
}

function admins(): string[] {
  const emails = (process.env.ADMIN_EMAILS ?? '').split(',').map((email) => email.trim())
  return emails.filter(Boolean)
}
