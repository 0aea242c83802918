import { describe, expect, test } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { declared } from './harness/declare.ts'
import type { Inputs } from './harness/mocks.ts'

const stack = declared()

interface Query {
  id: string
  expression?: string
  returnData?: boolean
  metric?: {
    namespace: string
    metricName: string
    dimensions: Inputs
    stat: string
    period: number
  }
}

/** Returns the alarms on rates, with the metrics that they read. */
const rates = () =>
  [...stack.all('aws:cloudwatch/metricAlarm:MetricAlarm').values()].flatMap((alarm) => {
    const queries = alarm.metricQueries as Query[] | undefined
    if (queries === undefined) return []
    const metrics = queries.flatMap(({ metric }) => (metric === undefined ? [] : [metric]))
    const expressions = Object.fromEntries(
      queries.flatMap(({ id, expression }) => (expression === undefined ? [] : [[id, expression]])),
    )
    const returned = queries.filter(({ returnData }) => returnData).map(({ id }) => id)
    return [{ alarm, metrics, expressions, returned }]
  })

type Rate = ReturnType<typeof rates>[number]

const reads =
  (name: string) =>
  ({ metrics }: Rate): boolean =>
    metrics.some(({ metricName }) => metricName === name)

const functionOf = ({ dimensions }: Rate['metrics'][number]) => String(dimensions.FunctionName)

describe('alarms on error rates', () => {
  test('an error rate of 1 % of a queue, a schedule or a stream raises one alarm', () => {
    const rated = functions.filter(({ name, trigger }) => {
      if (name === 'watchdog') return false
      return trigger.kind === 'http' ? trigger.streaming === true : trigger.kind !== 'invoke'
    })
    const read = rates().flatMap(({ metrics }) =>
      metrics.filter(({ metricName }) => metricName === 'Errors').map(functionOf),
    )
    expect(read.toSorted()).toEqual(
      rated.map(({ name }) => `agent-platform-production-${name}`).toSorted(),
    )
    for (const { metrics } of rates().filter(reads('Errors'))) {
      const calls = metrics.filter(({ metricName }) => metricName === 'Invocations')
      const errors = metrics.filter(({ metricName }) => metricName === 'Errors')
      expect(calls.map(functionOf)).toEqual(errors.map(functionOf))
      expect(metrics).toHaveLength(calls.length + errors.length)
    }
  })

  test('a rate is the errors of five minutes by their calls, in percent, from a least number on', () => {
    const rate = rates().find(({ alarm }) => String(alarm.name).endsWith('-schedules-errors-1'))
    expect(rate?.alarm).toMatchObject({
      threshold: 1,
      comparisonOperator: 'GreaterThanOrEqualToThreshold',
      treatMissingData: 'notBreaching',
    })
    expect(rate?.expressions).toEqual({
      errors: 'SUM([FILL(e0, 0), FILL(e1, 0), FILL(e2, 0), FILL(e3, 0), FILL(e4, 0)])',
      calls: 'SUM([FILL(c0, 0), FILL(c1, 0), FILL(c2, 0), FILL(c3, 0), FILL(c4, 0)])',
      rate: 'IF(errors >= 1 AND calls > 0, 100 * errors / calls, 0)',
    })
    expect(rate?.returned).toEqual(['rate'])
  })

  test('a rate reads at most ten metrics, AWS’s limit, all of five minutes', () => {
    for (const { metrics } of rates()) {
      expect(metrics.length).toBeLessThanOrEqual(10)
      expect(new Set(metrics.map(({ period }) => period))).toEqual(new Set([300]))
    }
  })

  test('many failures of messages raise an alarm', () => {
    const failing = rates().find(reads('MessageFailures'))
    expect(failing?.metrics).toMatchObject([
      { namespace: 'AgentPlatform/production', dimensions: {}, stat: 'Sum' },
      { namespace: 'AgentPlatform/production', dimensions: {}, stat: 'SampleCount' },
    ])
    expect(failing?.expressions.rate).toContain('errors >= 10')
  })

  test.each([
    ['5xx', { ApiId: 'WebApiApi-id' }],
    ['5xx', { ApiId: 'BackendApiApi-id' }],
    ['5XXError', { ApiName: 'agent-platform-production-web-streams' }],
    ['5XXError', { ApiName: 'agent-platform-production-backend-streams' }],
  ])('a rate of server errors raises an alarm: %s of %o', (metricName, dimensions) => {
    const namespace = 'AWS/ApiGateway'
    const [rate, ...more] = rates().filter(({ metrics }) =>
      metrics.some((metric) => JSON.stringify(metric.dimensions) === JSON.stringify(dimensions)),
    )
    expect(more).toEqual([])
    expect(rate?.metrics).toMatchObject([
      { namespace, metricName, dimensions, stat: 'Sum' },
      { namespace, metricName: 'Count', dimensions, stat: 'Sum' },
    ])
    expect(rate?.expressions.rate).toContain('errors >= 5')
  })

  test('unreadable pages raise no alarm, and failures of the summarizer itself raise one', () => {
    const all = JSON.stringify(rates().flatMap(({ metrics }) => metrics))
    expect(all).not.toContain('SummarizerApiApi-id')
    const [own, ...more] = rates().filter(reads('RequestFailures'))
    expect(more).toEqual([])
    const of = ['summarizer-info', 'summarizer-pages', 'summarizer-articles', 'summarizer-system']
    expect(own?.metrics).toEqual(
      ['Sum', 'SampleCount'].flatMap((stat) =>
        of.map((name) => ({
          namespace: 'AgentPlatform/production',
          metricName: 'RequestFailures',
          dimensions: { function: name },
          stat,
          period: 300,
        })),
      ),
    )
  })
})
