import { randomUUID } from 'node:crypto'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { type Values, valuesOf } from '../aws/answer.ts'
import { type Ask, askService } from '../aws/ask.ts'
import type { AskDatabase } from '../carrier/node.ts'
import { type Attributes, toAttributes } from './attributes.ts'
import type { Send } from './send.ts'

/** Sends requests to DynamoDB, or to the database at an endpoint. */
export function sendByHttp(endpoint: string | undefined): Send {
  const send = sendAsJson(
    askService({ name: 'dynamodb', target: 'DynamoDB_20120810', endpoint, attempts: 4 }),
  )
  return {
    ...send,
    // With a token, a repeated request has one effect.
    transact: (input) => send.transact({ ClientRequestToken: randomUUID(), ...input }),
  }
}

/**
 * Runs DynamoDB's operations on a database in the same process: the same inputs and outputs without requests, signatures
 * and sockets, which take several times the processor time of the database itself.
 */
export function sendInProcess(ask: AskDatabase): Send {
  return sendAsJson(async (operation, input) =>
    valuesOf(await ask(operation, JSON.stringify(input))),
  )
}

function sendAsJson(ask: Ask): Send {
  return {
    async get({ Key, ...input }) {
      const answer = await ask('GetItem', { ...input, Key: toAttributes(Key ?? {}) })
      return { Item: optional(answer['Item']) }
    },
    async getMany({ RequestItems = {} }) {
      const wanted = mapValues(RequestItems, ({ Keys, ...rest }) => ({
        ...rest,
        Keys: Keys?.map(toAttributes),
      }))
      const { Responses: responses = {}, UnprocessedKeys: left = {} } = (await ask('BatchGetItem', {
        RequestItems: wanted,
      })) as BatchAnswer
      return {
        Responses: mapValues(responses, (items) => items.map((item) => unmarshall(item))),
        UnprocessedKeys: mapValues(left, ({ Keys, ...rest }) => ({
          ...rest,
          Keys: Keys.map((key) => unmarshall(key)),
        })),
      }
    },
    put: (input) => ask('PutItem', written(input)),
    async update(input) {
      return { Attributes: optional((await ask('UpdateItem', written(input)))['Attributes']) }
    },
    async delete(input) {
      return { Attributes: optional((await ask('DeleteItem', written(input)))['Attributes']) }
    },
    async query({ ExclusiveStartKey: start, ...input }) {
      const answer = await ask('Query', {
        ...written(input),
        ...(start && { ExclusiveStartKey: toAttributes(start) }),
      })
      return {
        Items: (answer['Items'] as Attributes[]).map((item) => unmarshall(item)),
        LastEvaluatedKey: optional(answer['LastEvaluatedKey']),
      }
    },
    transact: ({ TransactItems = [], ...input }) =>
      ask('TransactWriteItems', {
        ...input,
        TransactItems: TransactItems.map((action) =>
          mapValues(action as Record<string, Values>, written),
        ),
      }),
  }
}

interface BatchAnswer {
  Responses?: Record<string, Attributes[]>
  UnprocessedKeys?: Record<string, { Keys: Attributes[] }>
}

/** Returns an input with its values in DynamoDB's types. */
function written({ Item, Key, ExpressionAttributeValues: values, ...rest }: object & Values) {
  return {
    ...rest,
    ...(Item !== undefined && { Item: toAttributes(Item as Values) }),
    ...(Key !== undefined && { Key: toAttributes(Key as Values) }),
    ...(values !== undefined && { ExpressionAttributeValues: toAttributes(values as Values) }),
  }
}

function optional(attributes: unknown): Values | undefined {
  return attributes === undefined ? undefined : unmarshall(attributes as Attributes)
}

function mapValues<V, W>(values: Record<string, V>, map: (value: V) => W): Record<string, W> {
  const mapped: Record<string, W> = {}
  for (const [name, value] of Object.entries(values)) mapped[name] = map(value)
  return mapped
}
