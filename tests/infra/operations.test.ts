import { describe, expect, test } from 'vitest'
import { functions, queues } from '#shared/manifest/index.ts'
import { declare, declared } from './harness/declare.ts'
import type { Declared } from './harness/declare.ts'
import type { Inputs } from './harness/mocks.ts'
import { componentOf, roleStatements, statementsOf } from './harness/policies.ts'

const stack = declared()

/** Returns the alarms on a metric of a resource. */
const alarmsOn = (metricName: string, dimensions: Inputs): Inputs[] =>
  [...stack.all('aws:cloudwatch/metricAlarm:MetricAlarm').values()].filter(
    (alarm) =>
      alarm.metricName === metricName &&
      JSON.stringify(alarm.dimensions) === JSON.stringify(dimensions),
  )

const topic = 'arn:aws:mock:eu-west-1:123456789012:Alarms'

describe('alarms', () => {
  test.each([...queues.map(({ name }) => name), 'schedules'])(
    'a single dead letter of %s raises an alarm',
    (name) => {
      const QueueName = `${componentOf(name)}DeadQueueQueue`
      expect(stack.one('aws:sqs/queue:Queue', QueueName)).toBeDefined()
      expect(alarmsOn('ApproximateNumberOfMessagesVisible', { QueueName })).toMatchObject([
        { threshold: 1, comparisonOperator: 'GreaterThanOrEqualToThreshold' },
      ])
    },
  )

  test.each(queues)('messages of $name without a consumer raise an alarm', ({ name }) => {
    const dimensions = { QueueName: `${componentOf(name)}QueueQueue` }
    const oldest = { metricName: 'ApproximateAgeOfOldestMessage', dimensions, stat: 'Maximum' }
    const reading = [...stack.all('aws:cloudwatch/metricAlarm:MetricAlarm').values()].filter(
      ({ metricQueries = [] }) =>
        expect
          .arrayContaining([expect.objectContaining({ metric: expect.objectContaining(oldest) })])
          .asymmetricMatch(metricQueries),
    )
    expect(reading).toMatchObject([
      { threshold: 900, comparisonOperator: 'GreaterThanOrEqualToThreshold' },
    ])
    expect(reading[0]?.metricQueries).toContainEqual(
      expect.objectContaining({
        expression: expect.stringMatching(/^MAX\(\[FILL\(m0, 0\)/),
        returnData: true,
      }),
    )
  })

  test.each(['signer', 'watchdog', 'web-billing'])(
    'a single error of %s raises an alarm',
    (name) => {
      const FunctionName = `agent-platform-production-${name}`
      expect(alarmsOn('Errors', { FunctionName })).toMatchObject([
        { statistic: 'Sum', threshold: 1 },
      ])
    },
  )

  test('calls beyond the reserved instances of any function raise an alarm', () => {
    const read = [...stack.all('aws:cloudwatch/metricAlarm:MetricAlarm').values()]
      .flatMap(({ metricQueries = [] }) => metricQueries as { metric?: Inputs }[])
      .flatMap(({ metric }) => (metric?.metricName === 'Throttles' ? [metric.dimensions] : []))
    const reserved = functions.filter((each) => each.reserved !== undefined)
    expect(read).toEqual(
      reserved.map(({ name }) => ({ FunctionName: `agent-platform-production-${name}` })),
    )
  })

  test('are about a hundred in an idle stage', () => {
    expect(stack.all('aws:cloudwatch/metricAlarm:MetricAlarm').size).toBeLessThanOrEqual(115)
  })

  test.each([
    'PaymentMismatches',
    'UnknownPrices',
    'RefundedCreditsUsed',
    'Disputes',
    'UsersLeftBehind',
  ])('payments with %s raise an alarm', (metric) => {
    expect(alarmsOn(metric, { function: 'web-billing' })).toMatchObject([
      { namespace: 'AgentPlatform/production', statistic: 'Sum', threshold: 1 },
    ])
  })

  test.each(['backend-ai', 'web-demo', 'web-paid-gateway'])(
    'a call of %s that neither the table nor a queue accepted raises an alarm',
    (by) => {
      expect(alarmsOn('UsageNotRecorded', { function: by })).toMatchObject([
        { namespace: 'AgentPlatform/production', statistic: 'Sum', threshold: 1 },
      ])
    },
  )

  test('a container without an agent raises an alarm', () => {
    expect(alarmsOn('OrphanTasks', { function: 'orphan-tasks' })).toMatchObject([
      { namespace: 'AgentPlatform/production', statistic: 'Sum', threshold: 1 },
    ])
  })

  test('many concurrent failed payments raise an alarm', () => {
    expect(alarmsOn('FailedPayments', { function: 'web-billing' })).toMatchObject([
      { namespace: 'AgentPlatform/production', statistic: 'Sum', threshold: 5 },
    ])
  })

  test('a negative balance raises an alarm, and one that differs from its ledger', () => {
    const one = [{ namespace: 'AgentPlatform/production', statistic: 'Sum', threshold: 1 }]
    expect(alarmsOn('NegativeBalances', { ledger: 'credits' })).toMatchObject(one)
    expect(alarmsOn('LedgerDifferences', { function: 'reconciliation' })).toMatchObject(one)
  })

  test('a model of a set that its provider no longer lists raises an alarm', () => {
    expect(alarmsOn('UnlistedModels', { catalogue: 'models' })).toMatchObject([
      { namespace: 'AgentPlatform/production', statistic: 'Sum', threshold: 1 },
    ])
  })

  test('a stopped schedule raises an alarm', () => {
    expect(
      alarmsOn('Invocations', { FunctionName: 'agent-platform-production-watchdog' }),
    ).toMatchObject([{ comparisonOperator: 'LessThanThreshold', treatMissingData: 'breaching' }])
  })

  test('an hourly schedule counts as stopped after two hours', () => {
    const [alarm] = alarmsOn('Invocations', {
      FunctionName: 'agent-platform-production-maintenance',
    })
    expect(alarm).toMatchObject({
      treatMissingData: 'breaching',
      period: 3600,
      evaluationPeriods: 2,
    })
  })

  test.each(['Web', 'Backend', 'Summarizer'])('slow responses of %s raise an alarm', (surface) => {
    expect(alarmsOn('Latency', { ApiId: `${surface}ApiApi-id` })).toMatchObject([
      { extendedStatistic: 'p99', threshold: 5000 },
    ])
  })

  test('all notify the administrators', () => {
    // Less frequent schedules alarm after two missed runs.
    const slow = new Map([
      ['agent-platform-production-daily-restore-points-silent', 3600],
      ['agent-platform-production-entitlements-due-silent', 900],
      ['agent-platform-production-maintenance-silent', 3600],
      ['agent-platform-production-orphan-tasks-silent', 3600],
      ['agent-platform-production-reconciliation-silent', 86_400],
    ])
    for (const alarm of stack.all('aws:cloudwatch/metricAlarm:MetricAlarm').values()) {
      const period = slow.get(String(alarm.name))
      const often = { period: period ?? 300, evaluationPeriods: period === undefined ? 1 : 2 }
      const expected = alarm.metricQueries === undefined ? often : { evaluationPeriods: 1 }
      expect(alarm).toMatchObject({ alarmActions: [topic], ...expected })
    }
    const subscriptions = [...stack.all('aws:sns/topicSubscription:TopicSubscription').values()]
    expect(subscriptions.filter((one) => one.topic === topic)).toEqual([
      { topic, protocol: 'email', endpoint: 'one@example.com' },
      { topic, protocol: 'email', endpoint: 'two@example.com' },
    ])
  })
})

describe('the watchdog', () => {
  const schedule = () => stack.one('aws:scheduler/schedule:Schedule', 'WatchdogSchedule')

  test('is called every minute, exactly', () => {
    expect(schedule()).toMatchObject({
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
    })
  })

  test('gets its tick’s id; a late tick is dropped', () => {
    const { arn, deadLetterConfig, input, retryPolicy } = schedule().target as Inputs
    expect(arn).toBe(
      'arn:aws:lambda:eu-west-1:123456789012:function:agent-platform-production-watchdog:live',
    )
    expect(JSON.parse(String(input))).toEqual({
      id: '<aws.scheduler.execution-id>',
      time: '<aws.scheduler.scheduled-time>',
      schedule: '<aws.scheduler.schedule-arn>',
    })
    expect(retryPolicy).toEqual({ maximumRetryAttempts: 2, maximumEventAgeInSeconds: 60 })
    expect(deadLetterConfig).toEqual({
      arn: 'arn:aws:sqs:eu-west-1:123456789012:SchedulesDeadQueueQueue',
    })
    const retries = stack.all('aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig')
    expect(new Set(retries.values())).toEqual(
      new Set(
        functions
          .filter(({ trigger }) => trigger.kind === 'schedule')
          .map(({ name, trigger }) => ({
            functionName: `agent-platform-production-${name}`,
            qualifier: 'live',
            maximumRetryAttempts: 0,
            maximumEventAgeInSeconds:
              'everyMinutes' in trigger ? Math.min(trigger.everyMinutes * 60, 21_600) : 0,
          })),
      ),
    )
  })

  test('is called by a role with only that permission', () => {
    const role = stack.one('aws:iam/role:Role', 'WatchdogScheduleRole')
    expect(statementsOf(role.assumeRolePolicy)).toMatchObject([
      {
        Principal: { Service: ['scheduler.amazonaws.com'] },
        Condition: { StringEquals: { 'aws:SourceAccount': ['123456789012'] } },
      },
    ])
    expect(roleStatements(stack, 'WatchdogScheduleRole')).toMatchObject([
      {
        Action: ['lambda:InvokeFunction'],
        Resource: [
          'arn:aws:lambda:eu-west-1:123456789012:function:agent-platform-production-watchdog:live',
        ],
      },
      {
        Action: ['sqs:SendMessage'],
        Resource: ['arn:aws:sqs:eu-west-1:123456789012:SchedulesDeadQueueQueue'],
      },
    ])
  })
})

test('every log group has a retention time of 30 days', () => {
  const groups = stack.all('aws:cloudwatch/logGroup:LogGroup')
  // One per function, one per API (three HTTP, two REST), one for the agents.
  expect(groups.size).toBe(functions.length + 6)
  for (const { retentionInDays } of groups.values()) expect(retentionInDays).toBe(30)
})

test('the declared resources are the same every time', async () => {
  const again = await declare('production')
  const listOf = ({ registrations }: Declared) =>
    registrations.map(({ name, type }) => `${type} ${name}`).toSorted()
  expect(listOf(again)).toEqual(listOf(stack))
})
