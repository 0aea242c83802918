import { describe, expect, test } from 'vitest'
import { type FunctionSpec, functions } from '#shared/manifest/index.ts'
import { agentPaymentRows, paymentRequestRows } from '#shared/network/agent-payments/rows.ts'
import { walletKeyRows } from '#shared/network/signer/keys/rows.ts'
import {
  walletNonceRows,
  openSplitRows,
  paymentRows,
  splitRows,
  workRows,
} from '#shared/network/splits/rows.ts'
import { mandateUseRows, paymentCapRows } from '#shared/permits/mandates/use/rows.ts'
import { declared } from './harness/declare.ts'
import { allowing, componentOf, roleStatements, statementsOf } from './harness/policies.ts'

const stack = declared()

const ofAccount = (service: string, rest: string) =>
  `arn:aws:${service}:eu-west-1:123456789012:${rest}`

const reachesTable = ({ grants }: FunctionSpec) => grants.some((grant) => 'table' in grant)

const roleOf = (name: string) => `${componentOf(name)}Role`

test('it has no address, schedule or queue: only functions with the grant call it, and no service may', () => {
  const self = ofAccount('lambda', 'function:agent-platform-production-signer')
  const others = stack.registrations.filter(
    ({ type, inputs }) =>
      !/^(?:aws:lambda\/function:Function|aws:iam\/|sst:)/.test(type) &&
      JSON.stringify(inputs).includes(self),
  )
  expect(others.map(({ type, name }) => `${type} ${name}`)).toEqual([])
  const callers = functions.filter(
    ({ name }) => allowing(stack, roleOf(name), 'lambda:InvokeFunction').length > 0,
  )
  expect(callers.map(({ name }) => name)).toEqual(
    functions
      .filter(({ grants }) => grants.some((grant) => 'invoke' in grant))
      .map(({ name }) => name),
  )
  expect(callers.length).toBeGreaterThan(0)
})

const partitions = [
  { of: 'keys', rows: [walletKeyRows], values: ['signer#*'] },
  {
    of: 'payments',
    rows: [
      splitRows,
      openSplitRows,
      paymentRows,
      walletNonceRows,
      workRows,
      agentPaymentRows,
      paymentRequestRows,
      mandateUseRows,
      paymentCapRows,
    ],
    values: ['split#*', 'payer#*'],
  },
] as const

const tableDenied = (name: string) =>
  roleStatements(stack, roleOf(name)).filter(
    ({ Action, Effect }) => Effect === 'Deny' && Action.includes('dynamodb:PutItem'),
  )

const refusedTo = (name: string) =>
  tableDenied(name).flatMap(
    ({ Condition }) => Condition['ForAnyValue:StringLike']?.['dynamodb:LeadingKeys'] ?? [],
  )

test('rows of keys are denied to every function but the signer, to read and to write', () => {
  for (const { name } of functions.filter(reachesTable))
    expect([name, refusedTo(name).includes('signer#*')]).toEqual([name, name !== 'signer'])
})

test('rows of payments are denied to every function except their creator, payer and signer', () => {
  const reaching = functions.filter(reachesTable).filter(({ name }) => {
    const refused = refusedTo(name)
    return !(refused.includes('split#*') && refused.includes('payer#*'))
  })
  expect(reaching.map(({ name }) => name).toSorted()).toEqual([
    'agent-payments',
    'agent-payments-due',
    'approvals',
    'backend-pay',
    'backend-splits',
    'schedules',
    'signer',
    'splits',
    'web-splits',
  ])
})

test('rows of payments are readable, and not writable, by the function that shows current work to a user', () => {
  const denied = tableDenied('web-runs').filter(({ Condition }) =>
    JSON.stringify(Condition).includes('payer#*'),
  )
  expect(denied.map(({ Action }) => Action)).toEqual([
    [
      'dynamodb:ConditionCheckItem',
      'dynamodb:DeleteItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
    ],
  ])
})

test('a denied row is denied for every action on the table, also within a transaction', () => {
  const reading = ({ grants }: FunctionSpec) =>
    grants.some((grant) => 'rows' in grant && grant.rows === 'payments-to-read')
  for (const { name, ...spec } of functions.filter(reachesTable))
    for (const { Action, Resource, Condition } of tableDenied(name)) {
      if (reading({ name, ...spec }) && !Action.includes('dynamodb:GetItem')) continue
      const allowed = allowing(stack, roleOf(name), 'dynamodb:GetItem')
      expect(Action).toEqual(expect.arrayContaining(allowed.flatMap((one) => one.Action)))
      expect(Resource).toEqual(allowed.flatMap((one) => one.Resource))
      expect(Object.keys(Condition)).toEqual(['ForAnyValue:StringLike'])
    }
})

test.each(partitions)('the rows of $of are in the denied partitions', ({ rows, values }) => {
  for (const { declared: row } of rows)
    expect(values.some((value) => row.pk.startsWith(value.slice(0, -1)))).toBe(true)
})

describe('the key of wallets', () => {
  const key = ofAccount('kms', 'key/WalletKey')

  test('is used only by the signer, for one wallet at a time, which each request names', () => {
    const users = functions.filter(({ name }) =>
      roleStatements(stack, roleOf(name)).some(({ Action }) =>
        Action.some((action) => action.startsWith('kms:')),
      ),
    )
    expect(users.map(({ name }) => name)).toEqual(['signer'])
    expect(allowing(stack, 'SignerRole', 'kms:Decrypt')).toMatchObject([
      {
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Resource: [key],
        Condition: {
          'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['address', 'agentId'] },
          Null: {
            'kms:EncryptionContext:address': ['false'],
            'kms:EncryptionContext:agentId': ['false'],
          },
        },
      },
    ])
  })

  test('is denied to every other role by its own policy, and rotates', () => {
    const { policy, enableKeyRotation } = stack.one('aws:kms/key:Key', 'WalletKey')
    expect(enableKeyRotation).toBe(true)
    expect(statementsOf(policy)).toMatchObject([
      { Effect: 'Allow', Principal: { AWS: ['arn:aws:iam::123456789012:root'] } },
      {
        Effect: 'Deny',
        Action: ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
        Principal: { AWS: ['*'] },
        Condition: {
          ArnNotEquals: {
            'aws:PrincipalArn': [
              'arn:aws:iam::123456789012:role/agent-platform-production-euw1-signer',
            ],
          },
        },
      },
    ])
  })
})
