import * as z from 'zod'
import { userIdPattern } from '../platform/table/user-store.ts'
import { passwordLimits, utf8Length } from './password.ts'

/** The table takes UTF-8, which has no form for half a surrogate pair. */
const wellFormed = (text: string) => text.toWellFormed()

/** Wallet sign-in makes these addresses up; nobody can receive mail at one: contract.md 2. */
const walletDomain = '@wallet.service'

/**
 * An email address to be stored: trimmed and lower-cased. Only ASCII ones, since SES delivers to no others; that also
 * leaves no two spellings of one address that Unicode folding would bring together.
 */
export const newEmail = z
  .string({ error: 'email required' })
  .trim()
  .min(1, 'email required')
  .max(254, 'email is too long')
  .check(z.email({ error: 'email is not a valid address' }))
  .toLowerCase()
  .refine((email) => !email.endsWith(walletDomain), 'email cannot be registered at this domain')

/** An email address to look up. What cannot be one belongs to nobody, which is no error of form. */
export const knownEmail = z
  .string({ error: 'email required' })
  .trim()
  .min(1, 'email required')
  .max(254, 'email is too long')
  .toLowerCase()
  .overwrite(wellFormed)

/** A password as its user means it, however their keyboard composes accents: RFC 8265. */
const passwordText = z
  .string({ error: 'password required' })
  .min(1, 'password required')
  .normalize('NFC')

/** bcrypt takes 72 bytes and ends at a NUL, and would say nothing of the rest. */
export function newPassword(minimum: number) {
  return passwordText
    .min(minimum, `password must have at least ${minimum} characters`)
    .refine(
      (password) => utf8Length(password) <= passwordLimits.maxBytes,
      `password must have at most ${passwordLimits.maxBytes} bytes`,
    )
    .refine((password) => !password.includes('\0'), 'password must not contain a NUL character')
}

/** spec.md, Accounts and sessions. Referral codes are kept in upper case. */
const referralCode = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,20}$/, 'referralCode must be 1 to 20 letters, digits or hyphens')
  .toUpperCase()

export const registration = z.object({
  email: newEmail,
  password: newPassword(passwordLimits.min),
  name: z.string().trim().max(100).overwrite(wellFormed).optional(),
  referralCode: referralCode.optional(),
  website: z.unknown().optional().describe('Not shown to people; leave it out'),
})

export type Registration = z.output<typeof registration>

export const credentials = z.object({ email: knownEmail, password: passwordText })

export type Credentials = z.output<typeof credentials>

/** A user id that a trusted caller brings. */
export const userIdText = z.string().regex(userIdPattern, 'userId is not a user id')

/** spec.md, Resources: the current user's profile. */
export const profile = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  plan: z.string(),
  credits: z.number(),
  twoFactorEnabled: z.boolean(),
})

export const sessionUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  isAdmin: z.boolean(),
})
