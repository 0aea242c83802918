import { describe, expect, test } from 'vitest'
import { reduced, second, transitional } from './harness/combined.ts'
import { declare, declared } from './harness/declare.ts'
import { allowing, statementsOf } from './harness/policies.ts'

const stack = declared()

test('mail is sent from the one sender, also to recipients whose identity SES checks', () => {
  expect(allowing(stack, 'MailsRole', 'ses:SendEmail')).toMatchObject([
    {
      Resource: [
        'arn:aws:ses:eu-west-1:123456789012:identity/*',
        expect.stringMatching(/:MailConfig$/),
      ],
      Condition: {
        StringLike: { 'ses:FromAddress': ['mail@example.com', '*@agents.example.com'] },
      },
    },
  ])
  expect(stack.one('aws:sesv2/emailIdentity:EmailIdentity', 'MailIdentity')).toMatchObject({
    emailIdentity: 'mail@example.com',
  })
})

test('without a sender, there is no identity and no permission to send', async () => {
  const silent = await declare('production', reduced)
  expect(() => silent.all('aws:sesv2/emailIdentity:EmailIdentity')).toThrow('nothing of type')
  expect(allowing(silent, 'MailsRole', 'ses:SendEmail')).toEqual([])
})

test('an identity that exists already is used, with its configuration set, and not created', async () => {
  const existing = await declare('production', transitional)
  for (const type of ['emailIdentity:EmailIdentity', 'configurationSet:ConfigurationSet'])
    expect(() => existing.all(`aws:sesv2/${type}`)).toThrow('nothing of type')
  expect(allowing(existing, 'MailsRole', 'ses:SendEmail')).toMatchObject([
    {
      Resource: [
        'arn:aws:ses:eu-west-1:123456789012:identity/*',
        'arn:aws:ses:eu-west-1:123456789012:configuration-set/*',
      ],
      Condition: {
        StringLike: { 'ses:FromAddress': ['mail@example.com', '*@agents.example.com'] },
      },
    },
  ])
  await expect(declare('production', { EMAIL_IDENTITY: 'mail@example.com' })).rejects.toThrow(
    'EMAIL_IDENTITY is mail@example.com; it must be existing or unset',
  )
})

describe('mails to agents', () => {
  const rule = 'arn:aws:ses:eu-west-1:123456789012:receipt-rule-set/agent-platform-production-mails'

  test('are stored by the rule of the active rule set, and announced to the queue', () => {
    expect(stack.one('aws:ses/receiptRule:ReceiptRule', 'MailRule')).toMatchObject({
      name: 'agent-platform-production-mails',
      recipients: ['agents.example.com'],
      enabled: true,
      scanEnabled: true,
      s3Actions: [{ position: 1, bucketName: 'ObjectsBucket', objectKeyPrefix: 'mails/in/' }],
    })
    expect(
      stack.one('aws:ses/activeReceiptRuleSet:ActiveReceiptRuleSet', 'ActiveMailRules'),
    ).toEqual({ ruleSetName: 'agent-platform-production-mails' })
    const { protocol, rawMessageDelivery, filterPolicy } = stack.one(
      'aws:sns/topicSubscription:TopicSubscription',
      'ReceivedMailsQueued',
    )
    expect({ protocol, rawMessageDelivery, filterPolicy }).toEqual({
      protocol: 'sqs',
      rawMessageDelivery: true,
      filterPolicy: '{"notificationType":["Received"]}',
    })
    expect(stack.outputs).toMatchObject({ mailMx: '10 inbound-smtp.eu-west-1.amazonaws.com' })
  })

  test('are stored and announced by SES for this account alone', () => {
    const account = { 'aws:SourceAccount': ['123456789012'] }
    const { policy } = stack.one('aws:s3/bucketPolicy:BucketPolicy', 'ObjectsPolicy')
    expect(statementsOf(policy)).toContainEqual(
      expect.objectContaining({
        Action: ['s3:PutObject'],
        Principal: { Service: ['ses.amazonaws.com'] },
        Resource: [expect.stringMatching(/\/mails\/in\/\*$/)],
        Condition: {
          StringEquals: account,
          ArnEquals: {
            'aws:SourceArn': [`${rule}:receipt-rule/agent-platform-production-mails`],
          },
        },
      }),
    )
    const published = stack.one('aws:sns/topicPolicy:TopicPolicy', 'ReceivedMailsPublished')
    expect(statementsOf(published.policy)).toMatchObject([
      { Action: ['sns:Publish'], Condition: { StringEquals: account } },
    ])
    const queued = stack.one('aws:sqs/queuePolicy:QueuePolicy', 'ReceivedMailsPolicy')
    expect(statementsOf(queued.policy)).toMatchObject([
      {
        Action: ['sqs:SendMessage'],
        Principal: { Service: ['sns.amazonaws.com'] },
        Condition: { ArnEquals: { 'aws:SourceArn': [expect.stringMatching(/:ReceivedMails$/)] } },
      },
    ])
  })

  test('need no resources without a domain, and no own rule set beside another one', async () => {
    const silent = await declare('production', reduced)
    expect(() => silent.all('aws:ses/receiptRule:ReceiptRule')).toThrow('nothing of type')
    const beside = await declare('production-2', second)
    expect(() => beside.all('aws:ses/receiptRuleSet:ReceiptRuleSet')).toThrow('nothing of type')
    expect(beside.one('aws:ses/receiptRule:ReceiptRule', 'MailRule')).toMatchObject({
      ruleSetName: 'agent-platform-production-mails',
      name: 'agent-platform-production-2-mails',
    })
    await expect(declare('production', { EMAIL_IN_DOMAIN: 'Agents' })).rejects.toThrow(
      'EMAIL_IN_DOMAIN is Agents; it must be a domain in lower case',
    )
  })
})
