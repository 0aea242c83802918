import { named, pascal } from './names.ts'

/** Every alarm of the stage by its name below. */
const alarms = new Map<string, aws.cloudwatch.MetricAlarm>()

/** The topic of all alarms. ADMIN_EMAILS are subscribed; each owner confirms by the link in SNS's mail. */
const topic = new aws.sns.Topic('Alarms', { name: named('alarms') })

for (const [index, email] of admins().entries())
  new aws.sns.TopicSubscription(`AlarmsTo${index}`, {
    topic: topic.arn,
    protocol: 'email',
    endpoint: email,
  })

interface Metric {
  namespace: string
  metric: string
  dimensions: Record<string, $util.Input<string>>
}

interface Alarm extends Metric {
  description: string
  statistic: 'Maximum' | 'Sum' | 'p99'
  threshold: number
  /** Seconds; default five minutes. */
  period?: number
  /** The number of consecutive periods. */
  periods?: number
  comparison?: 'GreaterThanOrEqualToThreshold' | 'LessThanThreshold'
  /** The state of the alarm when there is no data. */
  missing?: 'breaching' | 'notBreaching'
}

/** Declares an alarm on a metric. */
export function alarm(name: string, options: Alarm): void {
  declare(name, options.description, {
    namespace: options.namespace,
    metricName: options.metric,
    dimensions: options.dimensions,
    ...(options.statistic === 'p99'
      ? { extendedStatistic: 'p99', evaluateLowSampleCountPercentiles: 'ignore' }
      : { statistic: options.statistic }),
    period: options.period ?? 300,
    evaluationPeriods: options.periods ?? 1,
    threshold: options.threshold,
    comparisonOperator: options.comparison ?? 'GreaterThanOrEqualToThreshold',
    treatMissingData: options.missing ?? 'notBreaching',
  })
}

/**
 * The maximum number of metrics that an alarm on a math expression can read, a limit that AWS does not raise. SEARCH,
 * which finds more, is not allowed in alarms.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html
 */
export const maxMetrics = 10

/** A metric. The alarm uses the sum of its values in a period, their number, or the highest one. */
export interface Summed extends Metric {
  statistic?: 'Sum' | 'SampleCount' | 'Maximum'
}

interface Rate {
  description: string
  /** Metrics whose sum is the number of errors. */
  errors: Summed[]
  /** Metrics whose sum is the number of calls. */
  calls: Summed[]
  /** The minimum number of errors in five minutes that count: below it, the rate is 0. */
  atLeast: number
}

/** The share of errors that triggers an alarm on a rate, in percent. */
const errorPercent = 1

/**
 * Declares an alarm on a share of errors of at least one percent in five minutes. AWS bills an alarm by the metrics
 * that it reads.
 * @throws Error if it reads more metrics than AWS allows: the caller divides its metrics into several alarms
 */
export function rateAlarm(name: string, { description, errors, calls, atLeast }: Rate): void {
  const read = errors.length + calls.length
  if (read > maxMetrics)
    throw new Error(
      `the alarm ${name} reads ${read} metrics, and AWS allows ${maxMetrics}: divide its functions into several alarms in stacks/error-alarms.ts`,
    )
  declare(name, description, {
    metricQueries: [
      ...errors.map((metric, index) => queryOf(`e${index}`, metric)),
      ...calls.map((metric, index) => queryOf(`c${index}`, metric)),
      { id: 'errors', expression: totalOf('e', errors.length) },
      { id: 'calls', expression: totalOf('c', calls.length) },
      {
        id: 'rate',
        label: 'Errors in percent',
        expression: `IF(errors >= ${atLeast} AND calls > 0, 100 * errors / calls, 0)`,
        returnData: true,
      },
    ],
    evaluationPeriods: 1,
    threshold: errorPercent,
    comparisonOperator: 'GreaterThanOrEqualToThreshold',
    treatMissingData: 'notBreaching',
  })
}

/** Declares alarms, divided by maxMetrics, on metrics whose sum in five minutes is at least one. */
export function anyAlarm(name: string, description: string, metrics: readonly Summed[]): void {
  divided(name, description, metrics, { combine: totalOf, label: 'Sum', threshold: 1 })
}

interface Highest {
  description: string
  threshold: number
}

/** Declares alarms for the case that one of the metrics reaches the threshold within five minutes. An alarm has at most maxMetrics metrics. */
export function highestAlarm(
  name: string,
  { description, threshold }: Highest,
  metrics: readonly Metric[],
): void {
  const highest = metrics.map((metric): Summed => ({ ...metric, statistic: 'Maximum' }))
  divided(name, description, highest, { combine: highestOf, label: 'Highest', threshold })
}

interface Combined {
  combine: (id: string, count: number) => string
  label: string
  threshold: number
}

/** Declares `<name>` on the first ten metrics, `<name>-2` on the next ten, and so on. */
function divided(
  name: string,
  description: string,
  metrics: readonly Summed[],
  { combine, label, threshold }: Combined,
): void {
  for (let from = 0; from < metrics.length; from += maxMetrics) {
    const read = metrics.slice(from, from + maxMetrics)
    declare(from === 0 ? name : `${name}-${from / maxMetrics + 1}`, description, {
      metricQueries: [
        ...read.map((metric, index) => queryOf(`m${index}`, metric)),
        { id: 'all', expression: combine('m', read.length), label, returnData: true },
      ],
      evaluationPeriods: 1,
      threshold,
      comparisonOperator: 'GreaterThanOrEqualToThreshold',
      treatMissingData: 'notBreaching',
    })
  }
}

function queryOf(id: string, { namespace, metric, dimensions, statistic = 'Sum' }: Summed) {
  return { id, metric: { namespace, metricName: metric, dimensions, stat: statistic, period: 300 } }
}

/** Returns the sum of metrics. A metric without data in a period counts as 0: its function was not called. */
function totalOf(id: string, count: number): string {
  return `SUM([${each(id, count)}])`
}

function highestOf(id: string, count: number): string {
  return `MAX([${each(id, count)}])`
}

function each(id: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `FILL(${id}${index}, 0)`).join(', ')
}

function declare(
  name: string,
  alarmDescription: string,
  options: Omit<aws.cloudwatch.MetricAlarmArgs, 'name' | 'alarmDescription'>,
): void {
  const made = new aws.cloudwatch.MetricAlarm(`${pascal(name)}Alarm`, {
    name: named(name),
    alarmDescription,
    ...options,
    alarmActions: [topic.arn],
    okActions: [topic.arn],
  })
  alarms.set(name, made)
}

/** Returns the alarm with this name. @throws Error if it does not exist */
export function alarmNamed(name: string): aws.cloudwatch.MetricAlarm {
  const found = alarms.get(name)
  if (found === undefined) throw new Error(`there is no alarm ${name}`)
  return found
}

function admins(): string[] {
  const emails = (process.env.ADMIN_EMAILS ?? '').split(',').map((email) => email.trim())
  return emails.filter(Boolean)
}
