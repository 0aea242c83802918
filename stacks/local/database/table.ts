export type KeySchema = { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[]

export interface IndexDescription {
  IndexName: string
  KeySchema: KeySchema
  Projection: { ProjectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE'; NonKeyAttributes?: string[] }
}

export interface TableSchema {
  TableName: string
  KeySchema: KeySchema
  AttributeDefinitions: { AttributeName: string; AttributeType: 'S' | 'N' | 'B' }[]
  GlobalSecondaryIndexes?: IndexDescription[]
}

/** DescribeTable's response without the counts, which are computed on demand. */
export interface TableDescription extends TableSchema {
  TableStatus: 'ACTIVE'
  TableArn: string
  TableId: string
  /** Epoch seconds, as on the wire. */
  CreationDateTime: number
}

export interface Table {
  id: number
  description: TableDescription
  /** The attribute that holds the epoch second of expiry, if time to live is enabled. */
  timeToLive: string | undefined
}

export function indexesOf(table: Table): IndexDescription[] {
  return table.description.GlobalSecondaryIndexes ?? []
}

export function attributeNames(schema: KeySchema): string[] {
  return schema.map(({ AttributeName }) => AttributeName)
}
