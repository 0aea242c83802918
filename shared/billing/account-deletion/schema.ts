import * as z from 'zod'
import { knownEmail, passwordText } from '#shared/accounts/users/schema.ts'

/** The proof for an account's deletion: contract.md 11. */
export const accountDeletion = z
  .object({
    password: passwordText('password').optional(),
    confirm: knownEmail
      .optional()
      .describe('The email address of the account; required if it has no password'),
  })
  .meta({ id: 'AccountDeletion' })

export type AccountDeletion = z.output<typeof accountDeletion>
