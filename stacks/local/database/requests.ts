import type { Action, Condition } from './expressions.ts'
import type { TableSchema } from './table.ts'
import type { AttributeValue, Item, Path } from './values.ts'

/** A parsed ConditionExpression or FilterExpression. */
export interface ParsedCondition {
  expression: Condition
  /** Attributes with a nested path (`.` or `[]`), which key attributes must not have. */
  nestedPaths: Record<string, true>
  pathHeads: Record<string, true>
}

export interface ParsedUpdate {
  sections: Action[]
  paths: Path[]
  nestedPaths: Record<string, true>
}

export interface ParsedProjection {
  paths: Path[]
  nestedPaths: Record<string, true>
}

interface OnTable {
  TableName: string
}

export interface Metered {
  ReturnConsumedCapacity?: 'INDEXES' | 'TOTAL' | 'NONE'
}

export interface Conditional {
  _condition?: ParsedCondition
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' | 'NONE'
}

type Returning<Values extends string> = { ReturnValues?: Values | 'NONE' }

export type PutInput = OnTable & Conditional & { Item: Item }
export type DeleteInput = OnTable & Conditional & { Key: Item }
export type UpdateInput = OnTable & Conditional & { Key: Item; _updates?: ParsedUpdate }
export type GetInput = OnTable & {
  Key: Item
  ConsistentRead?: boolean
  _projection?: ParsedProjection
}

export interface TransactWrite {
  Put?: PutInput
  Update?: UpdateInput
  Delete?: DeleteInput
  ConditionCheck?: DeleteInput
}

export interface PageInput extends OnTable, Metered {
  IndexName?: string
  Limit?: number
  ConsistentRead?: boolean
  Select?: 'SPECIFIC_ATTRIBUTES' | 'COUNT' | 'ALL_ATTRIBUTES' | 'ALL_PROJECTED_ATTRIBUTES'
  ExclusiveStartKey?: Item
  _filter?: ParsedCondition
  _projection?: ParsedProjection
}

type KeyOperator = 'EQ' | 'LT' | 'LE' | 'GT' | 'GE' | 'BETWEEN' | 'BEGINS_WITH'

export interface KeyCondition {
  ComparisonOperator: KeyOperator
  AttributeValueList: [AttributeValue, ...AttributeValue[]]
}

export interface QueryInput extends PageInput {
  ScanIndexForward?: boolean
  /** Created from KeyConditionExpression by the validation. */
  KeyConditions: Record<string, KeyCondition>
}

interface ScanInput extends PageInput {
  Segment?: number
  TotalSegments?: number
}

/** The input of each operation after validation: known members only, expressions parsed. */
export interface Inputs {
  CreateTable: TableSchema & { LocalSecondaryIndexes?: unknown }
  DescribeTable: OnTable
  DeleteTable: OnTable
  ListTables: { ExclusiveStartTableName?: string; Limit?: number }
  UpdateTimeToLive: OnTable & {
    TimeToLiveSpecification: { AttributeName: string; Enabled: boolean }
  }
  DescribeTimeToLive: OnTable
  GetItem: GetInput & Metered
  PutItem: PutInput & Metered & Returning<'ALL_OLD'>
  UpdateItem: UpdateInput &
    Metered &
    Returning<'ALL_OLD' | 'UPDATED_OLD' | 'ALL_NEW' | 'UPDATED_NEW'>
  DeleteItem: DeleteInput & Metered & Returning<'ALL_OLD'>
  Query: QueryInput
  Scan: ScanInput
  BatchGetItem: Metered & { RequestItems: Record<string, Omit<GetInput, 'Key'> & { Keys: Item[] }> }
  BatchWriteItem: Metered & {
    RequestItems: Record<string, { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }[]>
  }
  TransactWriteItems: Metered & { TransactItems: TransactWrite[]; ClientRequestToken?: string }
  TransactGetItems: Metered & { TransactItems: { Get: GetInput }[] }
}

export type OperationName = keyof Inputs
