import { setTimeout as wait } from 'node:timers/promises'
import type {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { chunks } from '../chunks.ts'
import { withoutConflicts } from './conflict.ts'
import { expressCondition, expressQuery, expressUpdate } from './expression.ts'
import {
  ConditionFailed,
  type Item,
  type Key,
  type Page,
  type Table,
  TransactionFailed,
  type Write,
} from './port.ts'
import { sendByHttp } from './send-as-json.ts'
import type { Send } from './send.ts'

export interface DynamoOptions {
  tableName: string
  /** A DynamoDB endpoint other than AWS's. */
  endpoint?: string | undefined
  /** Sends the requests. Default: HTTP. */
  send?: Send
}

/**
 * Returns whether a key is within DynamoDB's length limits, in bytes. DynamoDB rejects reads of longer keys, which no
 * item has.
 */
function isPossible({ pk, sk }: Key): boolean {
  return Buffer.byteLength(pk) <= 2048 && Buffer.byteLength(sk) <= 1024
}

/** The maximum number of keys in a BatchGetItem. */
const maxKeys = 100

/** The maximum number of retries for keys that DynamoDB did not process. The delays add up to at most three seconds. */
const maxRereads = 7

/** The table port over DynamoDB. Writes that conflict with another transaction are retried here. */
export function dynamoTable({
  tableName: TableName,
  endpoint,
  send = sendByHttp(endpoint),
}: DynamoOptions): Table {
  /** Reads keys, and retries the keys that DynamoDB did not process because of the load, after an increasing delay. */
  async function readAll(keys: Key[], found: Map<string, Item>, attempt = 0): Promise<void> {
    const answer = await send.getMany({
      RequestItems: { [TableName]: { Keys: keys, ConsistentRead: true } },
    })
    for (const raw of answer.Responses?.[TableName] ?? []) {
      const item = alive(raw)
      if (item !== undefined) found.set(`${item.pk}\n${item.sk}`, item)
    }
    const left = (answer.UnprocessedKeys?.[TableName]?.Keys ?? []) as Key[]
    if (left.length === 0) return
    if (attempt === maxRereads)
      throw new Error('DynamoDB did not return all keys, even after retries')
    await wait(Math.random() * 25 * 2 ** attempt)
    await readAll(left, found, attempt + 1)
  }

  return {
    async get(key, options) {
      if (!isPossible(key)) return undefined
      const found = await send.get({
        TableName,
        Key: bare(key),
        ConsistentRead: options?.consistent ?? true,
      })
      return alive(found.Item)
    },

    async getMany(keys) {
      const found = new Map<string, Item>()
      const possible = keys.filter(isPossible).map(bare)
      await Promise.all(chunks(possible, maxKeys).map((chunk) => readAll(chunk, found)))
      return keys.map((key) => found.get(`${key.pk}\n${key.sk}`))
    },

    async put(item, condition = {}) {
      await refusing(() =>
        send.put({
          TableName,
          Item: item,
          ...expressCondition(condition),
          ...(condition.if !== undefined && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        }),
      )
    },

    async update(key, update) {
      const answer = await refusing(() =>
        send.update({
          TableName,
          Key: bare(key),
          ...expressUpdate(update),
          ReturnValues: 'ALL_NEW',
          ...(update.if !== undefined && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        }),
      )
      return answer.Attributes as Item
    },

    async delete(key, condition = {}) {
      const answer = await refusing(() =>
        send.delete({
          TableName,
          Key: bare(key),
          ...expressCondition(condition),
          ReturnValues: 'ALL_OLD',
          ...(condition.if !== undefined && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        }),
      )
      return answer.Attributes as Item | undefined
    },

    async query(query): Promise<Page> {
      const answer = await send.query({
        TableName,
        ...(query.index !== undefined && { IndexName: query.index }),
        ...expressQuery(query),
        ScanIndexForward: query.descending !== true,
        // Indexes have no consistent reads.
        ConsistentRead: query.index === undefined && (query.consistent ?? true),
        ...(query.limit !== undefined && { Limit: query.limit }),
        ...(query.after !== undefined && { ExclusiveStartKey: query.after }),
      })
      const items = (answer.Items ?? []).map(alive).filter((item) => item !== undefined)
      const next = answer.LastEvaluatedKey as Page['next']
      return { items, ...(next !== undefined && { next }) }
    },

    async transact(writes, token) {
      const input = {
        TransactItems: writes.map((write) => transactItem(TableName, write)),
        ...(token !== undefined && { ClientRequestToken: token }),
      }
      await withoutConflicts(async () => {
        try {
          await send.transact(input)
        } catch (error) {
          throw isNamed(error, 'TransactionCanceledException') ? cancelled(error) : error
        }
      })
    },
  }
}

function cancelled(
  error: Error & Pick<TransactionCanceledException, 'CancellationReasons'>,
): TransactionFailed {
  const reasons = (error.CancellationReasons ?? []).map((reason) =>
    reason.Code === undefined || reason.Code === 'None'
      ? undefined
      : { code: reason.Code, item: reason.Item && (unmarshall(reason.Item) as Item) },
  )
  return new TransactionFailed(reasons, error)
}

function transactItem(
  TableName: string,
  write: Write,
): NonNullable<TransactWriteCommandInput['TransactItems']>[number] {
  const shared = { TableName, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }
  if ('put' in write) return { Put: { ...shared, Item: write.put, ...expressCondition(write) } }
  if ('update' in write)
    return { Update: { ...shared, Key: bare(write.update), ...expressUpdate(write) } }
  if ('delete' in write)
    return { Delete: { ...shared, Key: bare(write.delete), ...expressCondition(write) } }
  const { ConditionExpression = '', ...rest } = expressCondition(write)
  return { ConditionCheck: { ...shared, Key: bare(write.check), ConditionExpression, ...rest } }
}

/** Returns only the key of an object, without other attributes. */
function bare({ pk, sk }: Key): Key {
  return { pk, sk }
}

/** Returns undefined for an expired item, because DynamoDB removes expired items late. */
function alive(item: Record<string, unknown> | undefined): Item | undefined {
  if (item === undefined) return undefined
  const { expiresAt } = item
  if (typeof expiresAt === 'number' && expiresAt * 1000 <= Date.now()) return undefined
  return item as Item
}

/**
 * Returns whether DynamoDB returned this error. Compares names, because only the SDK's client creates instances of its
 * classes.
 */
function isNamed(
  error: unknown,
  name: string,
): error is Error & Pick<ConditionalCheckFailedException, 'Item'> {
  return error instanceof Error && error.name === name
}

async function refusing<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await withoutConflicts(write)
  } catch (error) {
    if (!isNamed(error, 'ConditionalCheckFailedException')) throw error
    throw new ConditionFailed(error.Item && (unmarshall(error.Item) as Item), error)
  }
}
