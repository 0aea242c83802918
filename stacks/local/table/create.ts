import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { table } from '#shared/manifest/index.ts'
import { localCredentials } from '../clients/credentials.ts'

/** Creates the platform's table with its indexes and time to live, unless it exists. */
export async function createTable(
  endpoint: string,
  tableName: string,
  credentials = localCredentials(),
): Promise<void> {
  const client = new DynamoDBClient({ endpoint, ...credentials })
  try {
    const keys = [
      { partition: table.partitionKey, sort: table.sortKey },
      ...table.indexes.map(({ partitionKey, sortKey }) => ({
        partition: partitionKey,
        sort: sortKey,
      })),
    ]
    await client
      .send(
        new CreateTableCommand({
          TableName: tableName,
          BillingMode: 'PAY_PER_REQUEST',
          KeySchema: keySchema(table.partitionKey, table.sortKey),
          AttributeDefinitions: keys
            .flatMap(({ partition, sort }) => [partition, sort])
            .map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
          GlobalSecondaryIndexes: table.indexes.map(({ name, partitionKey, sortKey }) => ({
            IndexName: name,
            KeySchema: keySchema(partitionKey, sortKey),
            Projection: { ProjectionType: 'ALL' },
          })),
        }),
      )
      .catch((error: unknown) => {
        if (!(error instanceof ResourceInUseException)) throw error
      })
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }))
    if (Table?.TableStatus !== 'ACTIVE')
      await waitUntilTableExists({ client, maxWaitTime: 10 }, { TableName: tableName })
    await expireItems(client, tableName)
  } finally {
    client.destroy()
  }
}

/** Enabling an enabled time to live is an error, so the current state is read first. */
async function expireItems(client: DynamoDBClient, TableName: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }))
  if (TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED') return
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName,
      TimeToLiveSpecification: { AttributeName: table.timeToLive, Enabled: true },
    }),
  )
}

function keySchema(partition: string, sort: string) {
  return [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ]
}
