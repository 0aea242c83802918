import { setTimeout as wait } from 'node:timers/promises'
import { TransactionFailed } from '../platform/table/port.ts'

const maxTries = 12

/** What DynamoDB says when another transaction holds an item, or too many writes reach it: nothing was written. */
const passing = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionFailed) {
    const reasons = error.reasons.filter((reason) => reason !== undefined)
    return reasons.length > 0 && reasons.every(({ code }) => passing.has(code))
  }
  return error instanceof Error && error.name === 'TransactionConflictException'
}

/** Writes again what lost against a transaction on the same item, after a random and growing wait of at most 640 ms. */
export async function retryConflicts<T>(write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write()
    } catch (error) {
      if (tries === maxTries || !isConflict(error)) throw error
      await wait(Math.random() * Math.min(640, 10 * 2 ** tries))
    }
  }
}
