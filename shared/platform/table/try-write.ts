import { ConditionFailed } from './port.ts'

/**
 * Awaits one conditional write: `if (!(await written(table.update(key, { …, if }))) throw used()`.
 * @returns false if its condition failed
 * @throws any other failure of the write
 */
export async function tryWrite(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}
