import { between, each, many, property, quota, resource, unique } from './rule.ts'
import type { Rule } from './rule.ts'

const sqs = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/'
const scheduler = 'https://docs.aws.amazon.com/scheduler/latest/APIReference/'
const events = 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/'
const ses = 'https://docs.aws.amazon.com/ses/latest/APIReference-V2/'

const sesReceiving = 'https://docs.aws.amazon.com/ses/latest/APIReference/'

const receiptRule = 'aws:ses/receiptRule:ReceiptRule'
const queue = 'aws:sqs/queue:Queue'
const schedule = 'aws:scheduler/schedule:Schedule'
const eventRule = 'aws:cloudwatch/eventRule:EventRule'
const redrive = 'aws:sqs/redriveAllowPolicy:RedriveAllowPolicy'

export const messageRules: Rule[] = [
  property({
    type: queue,
    property: 'name',
    allows: /^[\w-]{1,80}$/,
    refuses: ['x'.repeat(81), 'web.accounts'],
    source: `${sqs}API_CreateQueue.html`,
  }),
  unique({ type: queue, property: 'name', source: `${sqs}API_CreateQueue.html` }),
  property({
    type: queue,
    property: 'delaySeconds',
    ...between(0, 900),
    refuses: [901],
    source: `${sqs}API_CreateQueue.html`,
  }),
  property({
    type: queue,
    property: 'messageRetentionSeconds',
    ...between(60, 1_209_600),
    refuses: [59, 1_209_601],
    source: `${sqs}API_CreateQueue.html`,
  }),
  property({
    type: queue,
    property: 'visibilityTimeoutSeconds',
    ...between(0, 43_200),
    refuses: [43_201],
    source: `${sqs}API_CreateQueue.html`,
  }),
  property({
    type: queue,
    property: 'redrivePolicy',
    rule: 'allows from 1 to 1000 receives',
    allows(value) {
      const { maxReceiveCount } = JSON.parse(String(value)) as { maxReceiveCount: number }
      return maxReceiveCount >= 1 && maxReceiveCount <= 1000
    },
    refuses: ['{"maxReceiveCount":0}', '{"maxReceiveCount":1001}'],
    source: `${sqs}API_CreateQueue.html`,
  }),
  each(redrive, {
    rule: 'a dead-letter queue names at most 10 source queues',
    source: `${sqs}API_SetQueueAttributes.html`,
    breach({ inputs }) {
      const { sourceQueueArns: sources = [] } = JSON.parse(String(inputs.redriveAllowPolicy)) as {
        sourceQueueArns?: string[]
      }
      return sources.length > 10 ? `names ${sources.length}` : undefined
    },
    refuses: [
      [
        resource(redrive, {
          redriveAllowPolicy: JSON.stringify({ sourceQueueArns: many(11, 'arn') }),
        }),
      ],
    ],
  }),
  property({
    type: schedule,
    property: 'name',
    allows: /^[0-9a-zA-Z-_.]{1,64}$/,
    refuses: ['x'.repeat(65), 'every minute'],
    source: `${scheduler}API_CreateSchedule.html`,
  }),
  unique({ type: schedule, property: 'name', source: `${scheduler}API_CreateSchedule.html` }),
  property({
    type: schedule,
    property: 'scheduleExpression',
    allows: /^rate\((?:1 (?:minute|hour|day)|(?:[2-9]|[1-9]\d+) (?:minutes|hours|days))\)$/,
    refuses: ['rate(1 minutes)', 'rate(5 minute)', 'rate(0 minutes)', 'every minute'],
    source: 'https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html',
  }),
  property({
    type: schedule,
    property: 'target.retryPolicy.maximumEventAgeInSeconds',
    ...between(60, 86_400),
    refuses: [59, 86_401],
    source: `${scheduler}API_RetryPolicy.html`,
  }),
  property({
    type: schedule,
    property: 'target.retryPolicy.maximumRetryAttempts',
    ...between(0, 185),
    refuses: [186],
    source: `${scheduler}API_RetryPolicy.html`,
  }),
  property({
    type: eventRule,
    property: 'name',
    allows: /^[.\-_A-Za-z0-9]{1,64}$/,
    refuses: ['x'.repeat(65), 'task state'],
    source: `${events}API_PutRule.html`,
  }),
  unique({ type: eventRule, property: 'name', source: `${events}API_PutRule.html` }),
  property({
    type: eventRule,
    property: 'description',
    allows: /^[^]{0,512}$/,
    refuses: ['x'.repeat(513)],
    source: `${events}API_PutRule.html`,
  }),
  property({
    type: eventRule,
    property: 'eventPattern',
    allows: /^[^]{1,2048}$/,
    refuses: ['x'.repeat(2049)],
    source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html',
  }),
  property({
    type: 'aws:sns/topic:Topic',
    property: 'name',
    allows: /^[\w-]{1,256}$/,
    refuses: ['x'.repeat(257), 'the alarms'],
    source: 'https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html',
  }),
  unique({
    type: 'aws:sns/topic:Topic',
    property: 'name',
    source: 'https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html',
  }),
  property({
    type: 'aws:sesv2/configurationSet:ConfigurationSet',
    property: 'configurationSetName',
    allows: /^[a-zA-Z0-9_-]{1,64}$/,
    refuses: ['x'.repeat(65), 'the mails'],
    source: `${ses}API_CreateConfigurationSet.html`,
  }),
  // AWS rejects a second identity of an address: AlreadyExistsException.
  unique({
    type: 'aws:sesv2/emailIdentity:EmailIdentity',
    property: 'emailIdentity',
    source: `${ses}API_CreateEmailIdentity.html`,
  }),
  property({
    type: 'aws:sesv2/emailIdentity:EmailIdentity',
    property: 'emailIdentity',
    allows: /^(?:[^\s<>@]+@)?[^\s<>@]+\.[^\s<>@]+$/,
    refuses: ['Platform <mail@example.com>', 'mail@', ''],
    source: `${ses}API_CreateEmailIdentity.html`,
  }),
  property({
    type: receiptRule,
    property: 'name',
    allows: /^[a-zA-Z0-9]([\w-]{0,62}[a-zA-Z0-9])?$/,
    refuses: ['x'.repeat(65), '-mails', 'mails.in'],
    source: `${sesReceiving}API_ReceiptRule.html`,
  }),
  unique({
    type: receiptRule,
    property: 'name',
    source: `${sesReceiving}API_CreateReceiptRule.html`,
  }),
  property({
    type: receiptRule,
    property: 'recipients',
    rule: 'has at most 100 recipients',
    allows: (value) => (value as unknown[]).length <= 100,
    refuses: [many(101, 'a@example.com')],
    source: 'https://docs.aws.amazon.com/ses/latest/dg/quotas.html',
  }),
  quota({
    rule: 'active receipt rule sets',
    type: 'aws:ses/activeReceiptRuleSet:ActiveReceiptRuleSet',
    most: 1,
    others: 0,
    source: `${sesReceiving}API_SetActiveReceiptRuleSet.html`,
  }),
  quota({
    rule: 'rules of an event bus',
    type: eventRule,
    most: 300,
    others: 50,
    source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html',
  }),
]
