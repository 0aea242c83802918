import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { sendByHttp } from './send-as-json.ts'
import type { Send } from './send.ts'

let database: TestTable
let http: Send
let sdk: Send

beforeAll(async () => {
  database = await startTestTable()
  const { endpoint } = database
  http = sendByHttp(endpoint)
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }), {
    marshallOptions: { removeUndefinedValues: true },
  })
  sdk = {
    get: (input) => client.send(new GetCommand(input)),
    getMany: (input) => client.send(new BatchGetCommand(input)),
    put: (input) => client.send(new PutCommand(input)),
    update: (input) => client.send(new UpdateCommand(input)),
    delete: (input) => client.send(new DeleteCommand(input)),
    query: (input) => client.send(new QueryCommand(input)),
    transact: (input) => client.send(new TransactWriteCommand(input)),
  }
})
afterAll(() => database.close())

type Operation = { [Name in keyof Send]: [Name, Parameters<Send[Name]>[0]] }[keyof Send]

const fields = ['Item', 'Responses', 'UnprocessedKeys', 'Attributes', 'Items', 'LastEvaluatedKey']

/** Returns the parts of an answer, or of an error, that the table port reads. */
async function outcome(send: Send, [name, input]: Operation): Promise<unknown> {
  try {
    const answer = new Map(Object.entries(Object(await send[name](input as never))))
    return fields.map((field) => answer.get(field))
  } catch (error) {
    const { name: named, message, ...rest } = error as Error & Record<string, unknown>
    return { named, message, Item: rest['Item'], CancellationReasons: rest['CancellationReasons'] }
  }
}

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.double({ noNaN: true, min: -1e12, max: 1e12 }),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.uint8Array({ maxLength: 5 }),
    fc
      .uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 })
      .map((all) => new Set(all)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('B', 'S', 'é'), tie('value')),
  ),
}))

const TableName = 'platform'
const key = fc.constantFrom('a', 'b', 'c').map((sk) => ({ pk: 'p', sk }))
const refusing = {
  ConditionExpression: 'attribute_not_exists(pk)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
}
const conditions = fc.constantFrom({}, refusing)

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ key, value, condition: conditions }).map(({ key: Item, value: given, condition }) => {
    return ['put', { TableName, Item: { ...Item, given, n: 1 }, ...condition }] as const
  }),
  fc.record({ key, value: fc.integer() }).map(({ key: Key, value: by }) => {
    const input = {
      TableName,
      Key,
      UpdateExpression: 'ADD #n :by',
      ExpressionAttributeNames: { '#n': 'n' },
      ExpressionAttributeValues: { ':by': by },
      ReturnValues: 'ALL_NEW' as const,
    }
    return ['update', input] as const
  }),
  fc.record({ key, condition: conditions }).map(({ key: Key, condition }) => {
    return ['delete', { TableName, Key, ReturnValues: 'ALL_OLD' as const, ...condition }] as const
  }),
  key.map((Key) => ['get', { TableName, Key, ConsistentRead: true }] as const),
  fc.uniqueArray(key, { minLength: 1, selector: ({ sk }) => sk }).map((Keys) => {
    return ['getMany', { RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }] as const
  }),
  fc.nat({ max: 3 }).map((limit) => {
    const input = {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'p' },
      Limit: limit + 1,
      ExclusiveStartKey: limit === 0 ? { pk: 'p', sk: 'a' } : undefined,
    }
    return ['query', input] as const
  }),
  fc.record({ condition: conditions, value }).map(({ condition, value: given }) => {
    const puts = ['a', 'b'].map((sk) => ({
      Put: { TableName, Item: { pk: 'p', sk, given }, ...(sk === 'b' && condition) },
    }))
    return ['transact', { TransactItems: puts }] as const
  }),
  // DynamoDB refuses these.
  fc.constantFrom<Operation>(
    ['put', { TableName, Item: { pk: 'p' } }],
    ['get', { TableName: 'other', Key: { pk: 'p', sk: 'a' } }],
    ['query', { TableName, KeyConditionExpression: 'pk' }],
  ),
) as fc.Arbitrary<Operation>

it('gives the answers and the errors of the SDK’s client, operation by operation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
      const answers: unknown[][] = []
      for (const send of [http, sdk]) {
        for (const sk of ['a', 'b', 'c']) await sdk.delete({ TableName, Key: { pk: 'p', sk } })
        const given: unknown[] = []
        for (const each of operations) given.push(await outcome(send, each))
        answers.push(given)
      }
      expect(answers[0]).toEqual(answers[1])
    }),
    { numRuns: 25 },
  )
})
