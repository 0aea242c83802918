import { expect, test } from 'vitest'
import { claimRows } from '#shared/billing/payments/claims/rows.ts'
import { declared } from './harness/declare.ts'
import { roleStatements } from './harness/policies.ts'

const stack = declared()

test('the function that sells pages may read and write the claims of payments and the counts of requests, and no other row', () => {
  const table = 'arn:aws:dynamodb:eu-west-1:123456789012:table/TableTable'
  const ofTable = roleStatements(stack, 'SummarizerPagesRole').filter(({ Action }) =>
    Action.some((action) => action.startsWith('dynamodb:')),
  )
  const only = (...keys: string[]) => ({
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
    Null: { 'dynamodb:LeadingKeys': ['false'] },
  })
  expect(ofTable).toMatchObject([
    {
      Effect: 'Allow',
      Action: ['dynamodb:UpdateItem'],
      Resource: [table],
      Condition: only('limit#*', 'open#*'),
    },
    {
      Effect: 'Allow',
      Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      Resource: [table],
      Condition: only('payment#*'),
    },
  ])
  expect(claimRows.key({ payment: 'one' }).pk.startsWith('payment#')).toBe(true)
})
