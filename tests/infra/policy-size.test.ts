import { expect, test } from 'vitest'
import { declared } from './harness/declare.ts'
import type { Inputs } from './harness/mocks.ts'

/** The most characters of all inline policies of a role; IAM counts no white space. */
const most = 10_240

/** The most characters of a queue's name. SST shortens the names that it gives to queues to this. */
const queueName = 'q'.repeat(80)

test('the policies of each role fit, with the longest names, beside ten more queues', () => {
  const roles = declared().all('aws:iam/role:Role')
  const sizes = [...roles].map(([name, { inlinePolicies }]) => {
    const policies = ((inlinePolicies ?? []) as Inputs[]).map(({ policy }) => String(policy))
    const long = policies
      .join('')
      .replaceAll(/(arn:aws:sqs:[a-z0-9-]+:\d+:)[\w-]+/g, (_, arn: string) => arn + queueName)
    return [name, long.length] as const
  })
  expect(sizes.length).toBeGreaterThan(100)
  const perQueue = 2 * `"arn:aws:sqs:ap-southeast-2:123456789012:${queueName}",`.length
  expect(sizes.filter(([, size]) => size > most - 10 * perQueue)).toEqual([])
})
