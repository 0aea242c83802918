import { inboundDomain } from './mail.ts'
import { named } from './names.ts'
import { queues } from './queues.ts'
import { mailRule, mailRuleSet, objects, receivedMails } from './storage.ts'

/** The MX record of EMAIL_IN_DOMAIN; undefined if the stage receives no mails. */
export const mailMx = inboundDomain === undefined ? undefined : receiveMails(inboundDomain)

/**
 * Stores the mails to a domain in the bucket. The queue of received mails gets a message for each of them.
 * @returns the MX record
 */
function receiveMails(domain: string): $util.Output<string> {
  const queue = queues['received-mails'].live
  const { accountId } = aws.getCallerIdentityOutput()
  const topic = new aws.sns.Topic('ReceivedMails', { name: named('received-mails') })
  const published = new aws.sns.TopicPolicy('ReceivedMailsPublished', {
    arn: topic.arn,
    policy: aws.iam.getPolicyDocumentOutput({
      statements: [
        {
          actions: ['sns:Publish'],
          resources: [topic.arn],
          principals: [{ type: 'Service', identifiers: ['ses.amazonaws.com'] }],
          conditions: [
            { test: 'StringEquals', variable: 'aws:SourceAccount', values: [accountId] },
          ],
        },
      ],
    }).json,
  })
  const queued = new aws.sqs.QueuePolicy('ReceivedMailsPolicy', {
    queueUrl: queue.url,
    policy: aws.iam.getPolicyDocumentOutput({
      statements: [
        {
          actions: ['sqs:SendMessage'],
          resources: [queue.arn],
          principals: [{ type: 'Service', identifiers: ['sns.amazonaws.com'] }],
          conditions: [{ test: 'ArnEquals', variable: 'aws:SourceArn', values: [topic.arn] }],
        },
      ],
    }).json,
  })
  const subscribed = new aws.sns.TopicSubscription(
    'ReceivedMailsQueued',
    {
      topic: topic.arn,
      protocol: 'sqs',
      endpoint: queue.arn,
      rawMessageDelivery: true,
      // SES also publishes a test message, which is no JSON.
      filterPolicyScope: 'MessageBody',
      filterPolicy: JSON.stringify({ notificationType: ['Received'] }),
    },
    { dependsOn: queued },
  )
  new aws.ses.ReceiptRule(
    'MailRule',
    {
      name: mailRule,
      ruleSetName: ruleSet(),
      recipients: [domain],
      enabled: true,
      // Verdicts about viruses and spam.
      scanEnabled: true,
      s3Actions: [
        {
          position: 1,
          bucketName: objects.name,
          objectKeyPrefix: receivedMails,
          topicArn: topic.arn,
        },
      ],
    },
    // SES checks at the creation that it may write and publish.
    { dependsOn: [objects, published, subscribed] },
  )
  return $interpolate`10 inbound-smtp.${aws.getRegionOutput().region}.amazonaws.com`
}

/** Returns the name of the active rule set. An account has one in each region, so a stage may have to use that one. */
function ruleSet(): $util.Input<string> {
  if ((process.env.EMAIL_IN_RULE_SET ?? '') !== '') return mailRuleSet
  const own = new aws.ses.ReceiptRuleSet('MailRules', { ruleSetName: mailRuleSet })
  new aws.ses.ActiveReceiptRuleSet('ActiveMailRules', { ruleSetName: own.ruleSetName })
  return own.ruleSetName
}
