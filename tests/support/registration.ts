import * as group from '../../functions/backend/registration.ts'
import { newId } from '../../shared/platform/ids.ts'
import { internalCallerOf } from './internal-caller.ts'
import { startTestTable } from './table.ts'

/** What the platform's secrets are sealed with in these tests. */
export const encryptionKey = 'k'.repeat(32)

/** The routes of registration, as installations and trusted callers reach them, over a database of their own. */
export async function startRegistration() {
  const { table, close } = await startTestTable()
  return {
    table,
    close,
    call: internalCallerOf(group, { table, encryptionKey, webUrl: 'https://example.com' }),
    newUserId: () => newId('usr'),
  }
}

export type RegistrationStack = Awaited<ReturnType<typeof startRegistration>>
