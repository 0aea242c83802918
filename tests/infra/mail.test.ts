import { expect, test } from 'vitest'
import { reduced, transitional } from './harness/combined.ts'
import { declare, declared } from './harness/declare.ts'
import { allowing } from './harness/policies.ts'

const stack = declared()

test('mail is sent from the one sender, also to recipients whose identity SES checks', () => {
  expect(allowing(stack, 'MailsRole', 'ses:SendEmail')).toMatchObject([
    {
      Resource: [
        'arn:aws:ses:eu-west-1:123456789012:identity/*',
        expect.stringMatching(/:MailConfig$/),
      ],
      Condition: { StringEquals: { 'ses:FromAddress': ['mail@example.com'] } },
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
  const second = await declare('production', transitional)
  for (const type of ['emailIdentity:EmailIdentity', 'configurationSet:ConfigurationSet'])
    expect(() => second.all(`aws:sesv2/${type}`)).toThrow('nothing of type')
  expect(allowing(second, 'MailsRole', 'ses:SendEmail')).toMatchObject([
    {
      Resource: [
        'arn:aws:ses:eu-west-1:123456789012:identity/*',
        'arn:aws:ses:eu-west-1:123456789012:configuration-set/*',
      ],
      Condition: { StringEquals: { 'ses:FromAddress': ['mail@example.com'] } },
    },
  ])
  await expect(declare('production', { EMAIL_IDENTITY: 'mail@example.com' })).rejects.toThrow(
    'EMAIL_IDENTITY is mail@example.com; it must be existing or unset',
  )
})
