import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { AskDatabase } from '../carrier/node.ts'
import { type Attributes, toAttributes } from './attributes.ts'
import type { Send } from './send.ts'

type Values = Record<string, unknown>

/**
 * Runs DynamoDB's operations on a database in the same process: the same inputs and outputs without the client's
 * requests, signatures and sockets, which take ten times the CPU time of the database itself.
 */
export function sendInProcess(ask: AskDatabase): Send {
  const send = async (operation: string, input: object): Promise<Values> => {
    const { status, body } = await ask(operation, JSON.stringify(input))
    const answer = parse(body)
    if (status === 200) return answer
    const { __type: type, message, ...rest } = answer
    throw Object.assign(new Error(String(message)), rest, {
      name: String(type).replace(/^.*#/, ''),
    })
  }
  return {
    async get({ Key, ...input }) {
      const answer = await send('GetItem', { ...input, Key: toAttributes(Key ?? {}) })
      return { Item: optional(answer['Item']) }
    },
    async getMany({ RequestItems = {} }) {
      const wanted = mapValues(RequestItems, ({ Keys, ...rest }) => ({
        ...rest,
        Keys: Keys?.map(toAttributes),
      }))
      const answer = await send('BatchGetItem', { RequestItems: wanted })
      const responses = answer['Responses'] as Record<string, Attributes[]>
      const left = answer['UnprocessedKeys'] as Record<string, { Keys: Attributes[] }>
      return {
        Responses: mapValues(responses, (items) => items.map((item) => unmarshall(item))),
        UnprocessedKeys: mapValues(left, ({ Keys, ...rest }) => ({
          ...rest,
          Keys: Keys.map((key) => unmarshall(key)),
        })),
      }
    },
    put: (input) => send('PutItem', written(input)),
    async update(input) {
      return { Attributes: optional((await send('UpdateItem', written(input)))['Attributes']) }
    },
    async delete(input) {
      return { Attributes: optional((await send('DeleteItem', written(input)))['Attributes']) }
    },
    async query({ ExclusiveStartKey: start, ...input }) {
      const answer = await send('Query', {
        ...written(input),
        ...(start && { ExclusiveStartKey: toAttributes(start) }),
      })
      return {
        Items: (answer['Items'] as Attributes[]).map((item) => unmarshall(item)),
        LastEvaluatedKey: optional(answer['LastEvaluatedKey']),
      }
    },
    transact: ({ TransactItems = [], ...input }) =>
      send('TransactWriteItems', {
        ...input,
        TransactItems: TransactItems.map((action) =>
          mapValues(action as Record<string, Values>, written),
        ),
      }),
  }
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

const binaries = /"BS?":/

function parse(text: string): Values {
  // Parsed without a reviver if possible, because it would take longer than all other steps, and rows rarely contain
  // bytes.
  if (!binaries.test(text)) return JSON.parse(text) as Values
  return JSON.parse(text, (name, value: unknown) => {
    if (name === 'B' && typeof value === 'string') return bytesOf(value)
    if (name === 'BS' && Array.isArray(value)) return value.map((each) => bytesOf(String(each)))
    return value
  }) as Values
}

function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'))
}

function mapValues<V, W>(values: Record<string, V>, map: (value: V) => W): Record<string, W> {
  const mapped: Record<string, W> = {}
  for (const [name, value] of Object.entries(values)) mapped[name] = map(value)
  return mapped
}
