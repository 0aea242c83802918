import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import type {
  AttributeValue,
  CancellationReason,
  CreateTableCommandInput,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb'
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb'
import { connect } from './engines.ts'

/** The SDK's own clients on a running engine. */
export interface Subject {
  client: DynamoDBClient
  doc: DynamoDBDocument
  /** Creates a table with key (pk, sk), index `byOwner` (owner, at) and sparse index `flagged`. */
  createTable(overrides?: Partial<CreateTableCommandInput>): Promise<string>
}

/** Returns the subject of the running test. */
export type SubjectOf = () => Subject

let tables = 0

export function subjectAt(endpoint: string): Subject {
  const client = connect(endpoint)
  const marshallOptions = { removeUndefinedValues: true }
  return {
    client,
    doc: DynamoDBDocument.from(client, { marshallOptions }),
    async createTable(overrides = {}) {
      const TableName = `table-${++tables}`
      await client.send(new CreateTableCommand({ ...layout, TableName, ...overrides }))
      return TableName
    },
  }
}

export const layout: Omit<CreateTableCommandInput, 'TableName'> = {
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'owner', AttributeType: 'S' },
    { AttributeName: 'at', AttributeType: 'N' },
    { AttributeName: 'flag', AttributeType: 'S' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byOwner',
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'at', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
    {
      IndexName: 'flagged',
      KeySchema: [{ AttributeName: 'flag', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['kept'] },
    },
  ],
}

/** An error as a caller sees it. */
export interface Refusal {
  name: string
  message: string
  Item?: Record<string, AttributeValue>
  CancellationReasons?: CancellationReason[]
}

/** Returns the error of a call that must fail. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(outcome instanceof Error)) throw new Error('the call was not refused')
  return outcome
}

/** Returns the error name of a call that must fail. */
export async function refusalName(call: Promise<unknown>): Promise<string> {
  return (await refusal(call)).name
}
