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

/** What DescribeTable answers, less the counts, which are taken when asked for. */
export interface TableDescription extends TableSchema {
  TableStatus: 'ACTIVE'
  TableArn: string
  TableId: string
  /** Epoch seconds, as the wire has it. */
  CreationDateTime: number
}

/** A table as the engine holds it. */
export interface Table {
  id: number
  description: TableDescription
  /** The attribute with the epoch second after which an item expires, when that is enabled. */
  timeToLive: string | undefined
}

export function indexesOf(table: Table): IndexDescription[] {
  return table.description.GlobalSecondaryIndexes ?? []
}

export function attributeNames(schema: KeySchema): string[] {
  return schema.map(({ AttributeName }) => AttributeName)
}
