import * as z from 'zod'
import { userIdPattern } from '#shared/platform/table/user-store.ts'
import { passwordLimits, utf8Length } from './password.ts'

/** The table stores UTF-8, which cannot represent half a surrogate pair. */
const wellFormed = (text: string) => text.toWellFormed()

/** The domain of generated addresses for wallet sign-in; they cannot receive mail: contract.md 2. */
const walletDomain = '@wallet.service'

/** Returns whether an address was generated for wallet sign-in. */
export function isWalletAddress(email: string): boolean {
  return email.endsWith(walletDomain)
}

/**
 * An email address that can receive mail: trimmed and lower-cased. Only ASCII, since SES delivers to no other
 * addresses; this also excludes two spellings of one address that Unicode folding would merge.
 */
const mailAddress = z
  .string({ error: 'email required' })
  .trim()
  .min(1, 'email required')
  .max(254, 'email is too long')
  .check(z.email({ error: 'email is not a valid address' }))
  .toLowerCase()

/** An email address to be stored. */
export const newEmail = mailAddress.refine(
  (email) => !isWalletAddress(email),
  'email cannot be registered at this domain',
)

/** An email address to look up. An invalid address belongs to no user and is not a validation error. */
export const knownEmail = z
  .string({ error: 'email required' })
  .trim()
  .min(1, 'email required')
  .max(254, 'email is too long')
  .toLowerCase()
  .overwrite(wellFormed)

/** A password in a normalized form, independent of how keyboards compose accents: RFC 8265. */
export function passwordText(field: string) {
  return z
    .string({ error: `${field} required` })
    .min(1, `${field} required`)
    .normalize('NFC')
}

/**
 * bcrypt reads 72 bytes and stops at a NUL, and would ignore the rest silently. @param field the name in error
 * messages
 */
function newPassword(minimum: number, field = 'password') {
  return passwordText(field)
    .min(minimum, `${field} must have at least ${minimum} characters`)
    .refine(
      (password) => utf8Length(password) <= passwordLimits.maxBytes,
      `${field} must have at most ${passwordLimits.maxBytes} bytes`,
    )
    .refine((password) => !password.includes('\0'), `${field} must not contain a NUL character`)
}

/** A display name: one line, even if more was pasted. */
export const displayName = z
  .string()
  .overwrite((name) => wellFormed(name).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
  .trim()
  .max(100)

/** A field that people do not see, so that only programs fill it in. */
const honeypot = z.unknown().optional().describe('Spam trap; leave it out')

/** spec.md, Accounts and sessions. Referral codes are stored in upper case. */
const referralCode = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,20}$/, 'referralCode must be 1 to 20 letters, digits or hyphens')
  .toUpperCase()

export const registration = z.object({
  email: newEmail,
  password: newPassword(passwordLimits.min),
  name: displayName.optional(),
  referralCode: referralCode.optional(),
  website: honeypot,
})

export type Registration = z.output<typeof registration>

/** The user that a registration made. */
export const registeredUser = z
  .object({ id: z.string(), email: z.string(), name: z.string() })
  .meta({ id: 'NewUser' })

export const credentials = z.object({ email: knownEmail, password: passwordText('password') })

export type Credentials = z.output<typeof credentials>

/** The response of a sign-in with a password. */
export const signedIn = z
  .object({
    ok: z.literal(true),
    user: z.object({ id: z.string(), name: z.string() }).meta({ id: 'SignedInUser' }),
  })
  .meta({ id: 'SignedIn' })

export const resetRequest = z.object({ email: mailAddress, website: honeypot })

/** spec.md allows shorter passwords in a reset than in a sign-up. */
export const passwordReset = z.object({
  token: z.string({ error: 'token required' }).min(1, 'token required'),
  password: newPassword(passwordLimits.minAtReset),
})

export type PasswordReset = z.output<typeof passwordReset>

/** The request of a verification link's page; the password is optional with a session of the account. */
export const emailConfirmation = z.object({
  token: z.string({ error: 'token required' }).min(1, 'token required'),
  password: passwordText('password').optional(),
})

export type EmailConfirmation = z.output<typeof emailConfirmation>

export const passwordChange = z.object({
  currentPassword: passwordText('currentPassword')
    .optional()
    .describe('Not required if the account has no password yet'),
  newPassword: newPassword(passwordLimits.min, 'newPassword'),
})

export type PasswordChange = z.output<typeof passwordChange>

/** A user id from a trusted caller. */
export const userIdText = z.string().regex(userIdPattern, 'userId is not a user id')

export const sessionUser = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    isAdmin: z.boolean(),
  })
  .meta({ id: 'SessionUser' })
