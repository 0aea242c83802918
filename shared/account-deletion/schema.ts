import * as z from 'zod'
import { knownEmail, passwordText } from '../accounts/schema.ts'

/** contract.md 11: what an account is deleted by. */
export const accountDeletion = z
  .object({
    password: passwordText('password').optional(),
    confirm: knownEmail
      .optional()
      .describe('The account’s email address, for an account without a password'),
  })
  .meta({ id: 'AccountDeletion' })

export type AccountDeletion = z.output<typeof accountDeletion>
