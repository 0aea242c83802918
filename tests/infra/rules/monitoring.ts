import type { Inputs } from '../harness/mocks.ts'
import { between, children, each, many, oneOf, property, quota, resource, unique } from './rule.ts'
import type { Rule } from './rule.ts'

const cloudwatch = 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/'
const logs = 'https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/'
const codedeploy = 'https://docs.aws.amazon.com/codedeploy/latest/userguide/limits.html'

const alarm = 'aws:cloudwatch/metricAlarm:MetricAlarm'
const logGroup = 'aws:cloudwatch/logGroup:LogGroup'
const deploymentGroup = 'aws:codedeploy/deploymentGroup:DeploymentGroup'
const deploymentConfig = 'aws:codedeploy/deploymentConfig:DeploymentConfig'

const day = 86_400

export const monitoringRules: Rule[] = [
  property({
    type: alarm,
    property: 'name',
    allows: /^[^]{1,255}$/,
    refuses: ['x'.repeat(256), ''],
    source: `${cloudwatch}API_PutMetricAlarm.html`,
  }),
  unique({ type: alarm, property: 'name', source: `${cloudwatch}API_PutMetricAlarm.html` }),
  property({
    type: alarm,
    property: 'alarmDescription',
    allows: /^[^]{0,1024}$/,
    refuses: ['x'.repeat(1025)],
    source: `${cloudwatch}API_PutMetricAlarm.html`,
  }),
  property({
    type: alarm,
    property: 'alarmActions',
    rule: 'has at most 5',
    allows(value) {
      return (value as unknown[]).length <= 5
    },
    refuses: [many(6, 'arn')],
    source: `${cloudwatch}API_PutMetricAlarm.html`,
  }),
  property({
    type: alarm,
    property: 'dimensions',
    rule: 'has at most 30',
    allows(value) {
      return Object.keys(value as Inputs).length <= 30
    },
    refuses: [Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`d${i}`, 'x']))],
    source: `${cloudwatch}API_PutMetricAlarm.html`,
  }),
  each(alarm, {
    rule: 'an alarm covers at most one day, or seven days if its period is an hour or more',
    source: `${cloudwatch}API_PutMetricAlarm.html`,
    breach({ inputs }) {
      const queries = (inputs.metricQueries ?? []) as { metric?: { period?: number } }[]
      const period = Number(
        inputs.period ?? Math.max(0, ...queries.map(({ metric }) => metric?.period ?? 0)),
      )
      const seconds = period * Number(inputs.evaluationPeriods)
      if (![10, 20, 30].includes(period) && (period === 0 || period % 60 !== 0))
        return `has a period of ${period} s`
      return seconds <= (period >= 3600 ? 7 * day : day) ? undefined : `covers ${seconds} s`
    },
    refuses: [
      [resource(alarm, { period: 300, evaluationPeriods: 289 })],
      [resource(alarm, { period: day, evaluationPeriods: 8 })],
      [resource(alarm, { period: 90, evaluationPeriods: 1 })],
      [resource(alarm, { evaluationPeriods: 1 })],
    ],
  }),
  each(alarm, {
    rule: 'an alarm has one metric with one statistic, or queries of which one is the result',
    source: `${cloudwatch}API_PutMetricAlarm.html`,
    breach({ inputs }) {
      const { metricQueries, metricName, statistic, extendedStatistic } = inputs
      if (metricQueries === undefined) {
        const statistics = [statistic, extendedStatistic].filter((one) => one !== undefined)
        return metricName !== undefined && statistics.length === 1
          ? undefined
          : `has ${statistics.length} statistics`
      }
      const queries = metricQueries as { returnData?: boolean; metric?: unknown }[]
      const results = queries.filter(({ returnData }) => returnData === true).length
      const metrics = queries.filter(({ metric }) => metric !== undefined).length
      if (metricName !== undefined) return 'has a metric and queries'
      return results === 1 && metrics <= 10 ? undefined : `has ${results} of ${metrics}`
    },
    refuses: [
      [resource(alarm, { metricName: 'Errors' })],
      [resource(alarm, { metricName: 'Errors', statistic: 'Sum', extendedStatistic: 'p99' })],
      [resource(alarm, { metricName: 'Errors', metricQueries: [{ returnData: true }] })],
      [resource(alarm, { metricQueries: [{ returnData: true }, { returnData: true }] })],
      [
        resource(alarm, {
          metricQueries: [{ returnData: true }, ...many(11, { metric: {} })],
        }),
      ],
    ],
  }),
  quota({
    rule: 'alarms',
    type: alarm,
    most: 5000,
    others: 500,
    source: 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html',
  }),
  property({
    type: logGroup,
    property: 'name',
    allows: /^[.\-_/#A-Za-z0-9]{1,512}$/,
    refuses: ['x'.repeat(513), '/aws/lambda/the function'],
    generated: true,
    source: `${logs}API_CreateLogGroup.html`,
  }),
  unique({ type: logGroup, property: 'name', source: `${logs}API_CreateLogGroup.html` }),
  property({
    type: logGroup,
    property: 'retentionInDays',
    ...oneOf([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731]),
    refuses: [0, 10, 31],
    source: `${logs}API_PutRetentionPolicy.html`,
  }),
  property({
    type: 'aws:codedeploy/application:Application',
    property: 'name',
    allows: /^[\w.+=,@-]{1,100}$/,
    refuses: ['x'.repeat(101), 'the releases'],
    source: codedeploy,
  }),
  unique({
    type: 'aws:codedeploy/application:Application',
    property: 'name',
    source: codedeploy,
  }),
  property({
    type: deploymentConfig,
    property: 'deploymentConfigName',
    allows: /^(?!CodeDeploy)[\w.+=,@-]{1,100}$/,
    refuses: ['x'.repeat(101), 'CodeDeployDefault.Mine', 'ten percent'],
    source: codedeploy,
  }),
  unique({ type: deploymentConfig, property: 'deploymentConfigName', source: codedeploy }),
  property({
    type: deploymentConfig,
    property: 'trafficRoutingConfig.timeBasedCanary.percentage',
    ...between(1, 99),
    refuses: [0, 100],
    source: 'https://docs.aws.amazon.com/codedeploy/latest/APIReference/API_TimeBasedCanary.html',
  }),
  quota({
    rule: 'deployment configurations',
    type: deploymentConfig,
    most: 50,
    others: 10,
    source: codedeploy,
  }),
  property({
    type: deploymentGroup,
    property: 'deploymentGroupName',
    allows: /^[\w.+=,@-]{1,100}$/,
    refuses: ['x'.repeat(101), 'web accounts'],
    source: codedeploy,
  }),
  property({
    type: deploymentGroup,
    property: 'alarmConfiguration.alarms',
    // 10 before the quota was raised to 50; the lower one holds in every account.
    rule: 'has at most 10',
    allows(value) {
      return (value as unknown[]).length <= 10
    },
    refuses: [many(11, 'alarm')],
    source: codedeploy,
  }),
  children({
    rule: 'deployment groups of an application',
    type: deploymentGroup,
    parent: 'appName',
    most: 1000,
    source: codedeploy,
  }),
]
