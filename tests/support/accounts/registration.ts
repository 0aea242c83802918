import * as group from '#functions/backend/registration.ts'
import { newId } from '#shared/platform/ids.ts'
import { internalCallerOf } from '../http/internal-caller.ts'
import { startTestTable } from '../platform/table.ts'

/** The platform's encryption key in these tests. */
export const encryptionKey = 'k'.repeat(32)

/** Starts the registration routes over a database of their own, as installations and trusted callers reach them. */
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
