import { setTimeout as wait } from 'node:timers/promises'
import { TransactionFailed } from './port.ts'
import { tooManyWrites } from './retry-optimistically.ts'

const tries = 8

/**
 * Retries a write that conflicts with another transaction on one of its items: DynamoDB cancels one of the two and
 * leaves the retry to the caller.
 * @throws PlatformError 503 if every attempt conflicts
 */
export async function withoutConflicts<T>(write: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isConflict(error)) throw error
    if (attempt === tries) throw tooManyWrites(error)
    await wait(Math.random() * 10 * 2 ** attempt)
    return withoutConflicts(write, attempt + 1)
  }
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionFailed)
    return error.reasons.some((reason) => reason?.code === 'TransactionConflict')
  return error instanceof Error && error.name === 'TransactionConflictException'
}
