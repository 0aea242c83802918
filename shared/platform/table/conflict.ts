import { setTimeout as wait } from 'node:timers/promises'
import { TransactionFailed } from './port.ts'

const tries = 8

/**
 * Runs a write again that met another transaction on one of its items: DynamoDB cancels one of the two, and the
 * clients leave it to the caller to come back.
 */
export async function withoutConflicts<T>(write: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isConflict(error) || attempt === tries) throw error
    await wait(Math.random() * 10 * 2 ** attempt)
    return withoutConflicts(write, attempt + 1)
  }
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionFailed)
    return error.reasons.some((reason) => reason?.code === 'TransactionConflict')
  return error instanceof Error && error.name === 'TransactionConflictException'
}
