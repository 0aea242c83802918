import * as z from 'zod'
import { isCredentialName } from './names.ts'
import { maxCharacters } from './set.ts'

export const credentialKey = z
  .string({ error: 'key required' })
  .refine(
    isCredentialName,
    'key must be 1 to 64 of A-Z, 0-9 and "_", begin with a letter, and not be a variable of the platform or the system',
  )

/** Null removes the credential. */
export const credentialValue = z
  .string('value must be a string, or null to remove it')
  .min(1, 'value must not be empty; null removes a credential')
  .max(maxCharacters, `value must have at most ${maxCharacters} characters`)
  .regex(/^[^\0]*$/, 'value must not contain a NUL character')
  .overwrite((text) => text.toWellFormed())
  .nullable()

export const credentialList = z.object({
  credentials: z.array(z.object({ key: z.string(), updatedAt: z.string() })),
  count: z.number(),
})
