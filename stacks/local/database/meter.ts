import { DatabaseError } from './errors.ts'
import type { Engine } from './engine.ts'

/** What one request is charged on demand: request units of DynamoDB, of the table and its indexes together. */
export interface Consumed {
  operation: string
  reads: number
  writes: number
}

interface Capacity {
  CapacityUnits: number
}

const reading = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems'])
const writing = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
])

/** The same engine, which tells of each request what it consumes. */
export function metered(engine: Engine, onConsumed: (consumed: Consumed) => void): Engine {
  return {
    ...engine,
    call(operation, input) {
      const writes = writing.has(operation)
      if (!writes && !reading.has(operation)) return engine.call(operation, input)
      const tell = (units: number) =>
        onConsumed({ operation, reads: writes ? 0 : units, writes: writes ? units : 0 })
      const asked = 'ReturnConsumedCapacity' in input
      try {
        const answer = engine.call(operation, { ...withCapacity, ...input }) as {
          ConsumedCapacity?: Capacity | Capacity[]
        }
        tell(sum(answer.ConsumedCapacity))
        if (asked) return answer
        const { ConsumedCapacity: _, ...rest } = answer
        return rest
      } catch (error) {
        tell(refused(error, input))
        throw error
      }
    },
  }
}

const withCapacity = { ReturnConsumedCapacity: 'TOTAL' }

function sum(capacity: Capacity | Capacity[] | undefined): number {
  return [capacity ?? []].flat().reduce((total, { CapacityUnits }) => total + CapacityUnits, 0)
}

/**
 * A write whose condition fails is charged as one that is made, for an item of a kilobyte here: what it met is not said.
 * A request that is wrong in itself costs nothing.
 */
function refused(error: unknown, input: object): number {
  if (!(error instanceof DatabaseError)) return 0
  if (error.name === 'ConditionalCheckFailedException') return 1
  if (error.name !== 'TransactionCanceledException') return 0
  return 2 * ((input as { TransactItems?: unknown[] }).TransactItems ?? []).length
}
