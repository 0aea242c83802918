import { newEmail } from '../users/schema.ts'
import { type ProviderProfile, SignInFailed } from './provider.ts'

export interface Claims {
  subject: string
  email: unknown
  /** True if the provider vouches for the address. */
  verified: boolean
  name: unknown
  refreshToken?: string | undefined
}

/** An OpenID Connect subject has at most 255 characters; it becomes part of a key. */
const maxSubject = 255

/**
 * Converts a provider's data of a person to the stored form.
 * @throws SignInFailed NoEmail if the provider does not vouch for an address that can receive mail
 */
export function toProfile({
  subject,
  email,
  verified,
  name,
  refreshToken,
}: Claims): ProviderProfile {
  if (subject === '' || subject.length > maxSubject) throw new SignInFailed('AuthError')
  const address = newEmail.safeParse(email)
  if (!verified || !address.success) throw new SignInFailed('NoEmail')
  return { subject, email: address.data, name: toName(name) || address.data, refreshToken }
}

function toName(name: unknown): string {
  return typeof name === 'string' ? name.toWellFormed().trim().slice(0, 100).toWellFormed() : ''
}
