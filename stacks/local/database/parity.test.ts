import {
  DeleteItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embedded, reference } from './conformance/engines.ts'
import { subjectAt } from './conformance/subject.ts'
import type { Subject } from './conformance/subject.ts'

/** Random requests must get the same responses from the embedded engine and from DynamoDB Local. */

const key = fc.record({
  pk: fc.constantFrom({ S: 'a' }, { S: 'b' }),
  sk: fc.constantFrom({ S: '1' }, { S: '2' }, { S: '3' }),
})

const number = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map(String),
  fc.constantFrom('0.5', '-0.25', '100000000000000000000', '99999999999999999999.5'),
)

const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    number.map((N) => ({ N })),
    fc.constantFrom('', 'a', 'ab', 'é', '\u{1F600}', '\uFF5E').map((S) => ({ S })),
    fc.constantFrom([], [0], [1, 255], [255]).map((bytes) => ({ B: Uint8Array.from(bytes) })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant({ NULL: true as const }),
    fc.subarray(['a', 'b', 'c'], { minLength: 1 }).map((SS) => ({ SS })),
    fc.subarray(['1', '2', '3.5'], { minLength: 1 }).map((NS) => ({ NS })),
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    fc.dictionary(fc.constantFrom('x', 'y'), tie('value')).map((M) => ({ M })),
  ),
}))

const path = fc.oneof(
  fc.constantFrom('u', 'v', 'w'),
  fc.constantFrom('u[0]', 'u[1]', 'v.x', 'v.y', 'w[0].x', 'pk', 'nothing'),
)
const target = path.filter((it) => it !== 'pk')
const literal = fc.constantFrom(':a', ':b')
const operand = fc.oneof(
  path,
  literal,
  path.map((it) => `size(${it})`),
)

const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .tuple(operand, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), operand)
      .map((it) => it.join(' ')),
    fc.tuple(operand, operand, operand).map(([a, b, c]) => `${a} BETWEEN ${b} AND ${c}`),
    fc.tuple(operand, operand, operand).map(([a, b, c]) => `${a} IN (${b}, ${c})`),
    fc
      .tuple(fc.constantFrom('begins_with', 'contains'), path, operand)
      .map(([name, a, b]) => `${name}(${a}, ${b})`),
    path.map((it) => `attribute_exists(${it})`),
    path.map((it) => `attribute_not_exists(${it})`),
    fc
      .tuple(tie('condition'), fc.constantFrom('AND', 'OR'), tie('condition'))
      .map(([a, word, b]) => `${a} ${word} ${b}`),
    tie('condition').map((it) => `NOT (${it})`),
  ),
}))

const source = fc.oneof(
  path,
  literal,
  fc.tuple(path, fc.constantFrom('+', '-'), literal).map((it) => it.join(' ')),
  fc.tuple(path, literal).map(([a, b]) => `if_not_exists(${a}, ${b})`),
  fc.tuple(path, literal).map(([a, b]) => `list_append(${a}, ${b})`),
)
const clause = (word: string, one: fc.Arbitrary<string>) =>
  fc.array(one, { maxLength: 2 }).map((all) => (all.length > 0 ? `${word} ${all.join(', ')}` : ''))
const update = fc
  .tuple(
    clause(
      'SET',
      fc.tuple(target, source).map(([a, b]) => `${a} = ${b}`),
    ),
    clause('REMOVE', target),
    clause(
      'ADD',
      fc.tuple(target, literal).map((it) => it.join(' ')),
    ),
    clause(
      'DELETE',
      fc.tuple(target, literal).map((it) => it.join(' ')),
    ),
  )
  .map((clauses) => clauses.filter(Boolean).join(' '))
  .filter(Boolean)

const item = fc
  .tuple(
    key,
    fc.dictionary(fc.constantFrom('u', 'v', 'w'), value),
    fc.option(number.map((N) => ({ owner: { S: 'o' }, at: { N } }))),
  )
  .map(([own, rest, indexed]) => Object.assign({}, own, rest, indexed))

/** Returns the values that an expression uses, because unused ones are an error. */
function valuesFor(expressions: string[], a: AttributeValue, b: AttributeValue) {
  const used = Object.entries({ ':a': a, ':b': b }).filter(([name]) =>
    expressions.some((it) => it.includes(name)),
  )
  return used.length > 0 ? { ExpressionAttributeValues: Object.fromEntries(used) } : {}
}

const put = fc.tuple(item, fc.option(condition), value, value).map(([Item, test, a, b]) => ({
  Put: { Item, ...(test && { ConditionExpression: test, ...valuesFor([test], a, b) }) },
}))
const change = fc
  .tuple(key, update, fc.option(condition), value, value)
  .map(([Key, UpdateExpression, test, a, b]) => ({
    Update: {
      Key,
      UpdateExpression,
      ...(test && { ConditionExpression: test }),
      ...valuesFor([UpdateExpression, test ?? ''], a, b),
    },
  }))
const remove = fc.tuple(key, fc.option(condition), value, value).map(([Key, test, a, b]) => ({
  Delete: { Key, ...(test && { ConditionExpression: test, ...valuesFor([test], a, b) }) },
}))
type ValueOf<Generator> = Generator extends fc.Arbitrary<infer Value> ? Value : never
type Action = ValueOf<typeof put> | ValueOf<typeof change> | ValueOf<typeof remove>

const placeOf = (action: Action) => {
  const { pk, sk } =
    'Put' in action ? action.Put.Item : 'Update' in action ? action.Update.Key : action.Delete.Key
  return pk.S + sk.S
}
const transact = fc
  .uniqueArray(fc.oneof(put, change, remove), { minLength: 2, maxLength: 3, selector: placeOf })
  .map((Transact) => ({ Transact }))
const query = fc
  .record({
    index: fc.boolean(),
    forward: fc.boolean(),
    limit: fc.option(fc.constantFrom(1, 2)),
    from: number,
    filter: fc.option(condition),
    a: value,
    b: value,
  })
  .map((Query) => ({ Query }))

const step = fc.oneof(put, change, remove, transact, query)

type Request = ValueOf<typeof step>

async function send(client: DynamoDBClient, TableName: string, request: Request): Promise<unknown> {
  const ReturnValues = 'ALL_OLD' as const
  if ('Put' in request) {
    return client.send(new PutItemCommand({ TableName, ReturnValues, ...request.Put }))
  }
  if ('Delete' in request) {
    return client.send(new DeleteItemCommand({ TableName, ReturnValues, ...request.Delete }))
  }
  if ('Update' in request) {
    const input = { TableName, ...request.Update, ReturnValues: 'UPDATED_NEW' } as const
    return client.send(new UpdateItemCommand(input))
  }
  if ('Transact' in request) {
    const TransactItems = request.Transact.map((action) => {
      if ('Put' in action) return { Put: { TableName, ...action.Put } }
      if ('Update' in action) return { Update: { TableName, ...action.Update } }
      return { Delete: { TableName, ...action.Delete } }
    })
    return client.send(new TransactWriteItemsCommand({ TransactItems }))
  }
  const { index, forward, limit, from, filter, a, b } = request.Query
  const condition = index ? 'owner = :o AND #at >= :from' : 'pk = :o'
  const { ExpressionAttributeValues: extra = {} } = filter ? valuesFor([filter], a, b) : {}
  return client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: condition.replace('owner', '#owner'),
      ScanIndexForward: forward,
      ExpressionAttributeValues: index
        ? { ...extra, ':o': { S: 'o' }, ':from': { N: from } }
        : { ...extra, ':o': { S: 'a' } },
      ...(index && {
        IndexName: 'byOwner',
        ExpressionAttributeNames: { '#owner': 'owner', '#at': 'at' },
      }),
      ...(limit !== null && !index && { Limit: limit }),
      ...(filter !== null && { FilterExpression: filter }),
    }),
  )
}

type Answer = Record<string, unknown> & { Items?: unknown[] }

/** Returns a response without what may differ: ids, unrequested capacity, orders, error texts. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    const { $metadata: _, ConsumedCapacity: __, ...answer } = (await call) as Answer
    // Index entries with equal keys have no defined order.
    const Items = answer.Items?.map((it) => JSON.stringify(sorted(it))).toSorted()
    return sorted({ ...answer, Items })
  } catch (error) {
    const { name, CancellationReasons: reasons } = error as {
      name: string
      CancellationReasons?: { Code: string }[]
    }
    const codes = reasons?.map(({ Code }) => Code)
    // For a write that cannot be applied, the documentation has a reason; DynamoDB Local does not.
    return codes?.includes('ValidationError') ? ['ValidationException'] : [name, ...(codes ?? [])]
  }
}

function sorted(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return value.map(sorted)
  if (!value || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, it]) => it !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, it]) => [
        name,
        ['SS', 'NS'].includes(name) && Array.isArray(it) ? it.toSorted() : sorted(it),
      ]),
  )
}

describe.skipIf(reference.missing)(`parity ${reference.missing ?? 'checked'}`, () => {
  let subjects: Subject[]
  const closing: (() => Promise<void>)[] = []
  beforeAll(async () => {
    const running = await Promise.all([embedded.start(), reference.start()])
    subjects = running.map(({ endpoint }) => subjectAt(endpoint))
    closing.push(...running.map((engine) => () => engine.close()))
  })
  afterAll(async () => {
    for (const subject of subjects) subject.client.destroy()
    await Promise.all(closing.map((close) => close()))
  })

  test('random requests have the same responses', { timeout: 60_000 }, async () => {
    let seen = 0
    const steps = fc.array(step, { minLength: 10, maxLength: 20, size: 'max' })
    const property = fc.asyncProperty(steps, async (requests) => {
      const TableName = `parity-${++seen}`
      for (const subject of subjects) await subject.createTable({ TableName })
      for (const request of requests) {
        const answers = await Promise.all(
          subjects.map((subject) => outcome(send(subject.client, TableName, request))),
        )
        expect(answers[0]).toEqual(answers[1])
      }
      const contents = await Promise.all(
        subjects.map(({ client }) => client.send(new ScanCommand({ TableName }))),
      )
      const [ours, theirs] = contents.map(({ Items = [] }) =>
        Items.map((it) => JSON.stringify(sorted(it))).toSorted(),
      )
      expect(ours).toEqual(theirs)
    })
    await fc.assert(property, { numRuns: Number(process.env.PARITY_RUNS ?? 20) })
  })
})
