import type { Engine } from './engine.ts'
import { DatabaseError } from './errors.ts'

/** The on-demand charge of one request: request units of the table and its indexes together. */
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

/** Wraps an engine and reports the consumption of each request. */
export function metered(engine: Engine, onConsumed: (consumed: Consumed) => void): Engine {
  return {
    ...engine,
    call(operation, input) {
      const writes = writing.has(operation)
      if (!writes && !reading.has(operation)) return engine.call(operation, input)
      const tell = (units: number) =>
        onConsumed({ operation, reads: writes ? 0 : units, writes: writes ? units : 0 })
      const isRequested = 'ReturnConsumedCapacity' in input
      try {
        const answer = engine.call(operation, { ...withCapacity, ...input }) as {
          ConsumedCapacity?: Capacity | Capacity[]
        }
        tell(sum(answer.ConsumedCapacity))
        if (isRequested) return answer
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
 * Returns the units of a failed request. A write whose condition fails is charged like a successful write; here for an item
 * of one kilobyte, because the error does not contain the item's size. An invalid request costs nothing.
 */
function refused(error: unknown, input: object): number {
  if (!(error instanceof DatabaseError)) return 0
  if (error.name === 'ConditionalCheckFailedException') return 1
  if (error.name !== 'TransactionCanceledException') return 0
  return 2 * ((input as { TransactItems?: unknown[] }).TransactItems ?? []).length
}
