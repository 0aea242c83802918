import { Catalog } from './catalog.ts'
import { DatabaseError } from './errors.ts'
import { describeTimeToLive, sweepExpired, updateTimeToLive } from './expiry.ts'
import { readPage, sourceOf, startOf } from './page.ts'
import type { Session } from './plan.ts'
import { query } from './query.ts'
import { batchGetItem, getItem } from './read.ts'
import type { Inputs, OperationName } from './requests.ts'
import { Storage } from './storage.ts'
import { transactGetItems, transactWriteItems } from './transact.ts'
import { isOperation, validate } from './validate.ts'
import { batchWriteItem, deleteItem, putItem, updateItem } from './write.ts'

type Operation<Name extends OperationName> = (session: Session, input: Inputs[Name]) => object

const operations: { [Name in OperationName]: Operation<Name> } = {
  CreateTable: ({ catalog }, input) => catalog.create(input),
  DescribeTable: ({ catalog }, input) => catalog.describe(input.TableName),
  DeleteTable: ({ catalog }, input) => catalog.delete(input.TableName),
  ListTables: ({ catalog }, input) => catalog.list(input),
  UpdateTimeToLive: updateTimeToLive,
  DescribeTimeToLive: describeTimeToLive,
  GetItem: getItem,
  PutItem: putItem,
  UpdateItem: updateItem,
  DeleteItem: deleteItem,
  Query: query,
  Scan: scan,
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  TransactWriteItems: transactWriteItems,
  TransactGetItems: transactGetItems,
}

const READS = /^(Get|BatchGet|TransactGet|Query|Scan|List|Describe)/

export interface Engine {
  /**
   * Runs one DynamoDB operation and returns its wire output. May modify the input. A write is committed when the call
   * returns.
   * @throws DatabaseError
   */
  call(operation: string, input: object): object
  /** Deletes one batch of expired items. @returns whether there may be more */
  sweep(): boolean
  close(): void
}

export interface EngineOptions {
  /** The folder of the database, or `:memory:` for a temporary one. */
  dir: string
  /** Returns epoch milliseconds; default the system clock. */
  clock?: () => number
}

/**
 * Implements DynamoDB's operations on SQLite. dynalite validates requests and parses expressions. Storage and semantics
 * are our own, because dynalite has no transactions, writes an item and its index entries one by one, and keys index
 * entries by a hash that can collide. SQLite commits all of that together and, because it is synchronous, runs one
 * request at a time.
 */
export function openEngine({ dir, clock = Date.now }: EngineOptions): Engine {
  const storage = new Storage(dir)
  const session: Session = { storage, catalog: new Catalog(storage, clock), now: clock }
  const run = <Name extends OperationName>(name: Name, input: object): object => {
    const valid = validate(name, input)
    const work = () => operations[name](session, valid)
    return READS.test(name) ? work() : storage.transaction(work)
  }
  return {
    call(operation, input) {
      if (!isOperation(operation)) throw new DatabaseError('UnknownOperationException', '')
      return run(operation, input)
    },
    sweep: () => storage.transaction(() => sweepExpired(session)),
    close: () => storage.close(),
  }
}

/** Reads a whole table or index, or one of TotalSegments parts. */
function scan(session: Session, input: Inputs['Scan']): object {
  const source = sourceOf(session, input)
  const after = startOf(source, input.ExclusiveStartKey)
  const { Segment: number, TotalSegments: total } = input
  return readPage(session, input, {
    ...source,
    ...(after && { after }),
    ...(number !== undefined && total !== undefined && { segment: { number, total } }),
  })
}
