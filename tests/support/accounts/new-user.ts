import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { register } from '#shared/accounts/users/register.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'

// Each hash of a stack's own functions takes 200 ms of processor. A sign-in takes as long as the stored hash did.
const passwords = bcryptPasswords(4)

/**
 * Registers a user in a stack's table, with a cheap password hash and without a mail.
 * @returns the user's id
 */
export async function insertUser(
  table: Table,
  given: { email: string; password: string; name?: string },
): Promise<string> {
  const ctx = {
    table,
    passwords,
    actor: { type: 'public' as const },
    owner: undefined,
    log: createLog({ function: 'test' }),
    mailer: { send: async () => {} },
    webUrl: 'http://localhost',
    count: async () => {},
    requestId: newId('req'),
    seed: newSeed(),
  }
  return (await register(ctx, { name: '', ...given })).id
}
