import { afterAll, beforeAll } from 'vitest'
import { canSignIn } from '#shared/accounts/providers/linking/access.ts'
import type { SecurityEventMessage } from '#shared/accounts/security-events/topic.ts'
import { platformOver } from '../http/platform-over.ts'
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts'
import { type SecurityEvents, startSecurityEvents } from './security-events.ts'
import { type SignIn, startSignIn, webUrl } from './sign-in.ts'

const start = `${webUrl}/api/auth/idp`

let count = 0
export const unique = () => `person-${++count}`

/** Starts an identity provider for one test, with the platform's settings for it. */
export async function startKnownProvider() {
  const idp = await startIdentityProvider(`${start}/callback`)
  const settings = {
    IDP_ISSUER: idp.issuer,
    IDP_CLIENT_ID: [idp.clientId],
    IDP_CLIENT_SECRET: idp.clientSecret,
  }
  return { idp, settings }
}

/** Returns a message of the security-events queue. */
export function message(
  name: string,
  subject: { sub?: string; email?: string },
  change: Partial<SecurityEventMessage> & { reason?: string } = {},
): SecurityEventMessage {
  const { reason, ...rest } = change
  const receivedAt = Date.now()
  const event = { name, subject, ...(reason !== undefined && { reason }) }
  const jti = `jti-${++count}`
  return {
    receiver: 'risc',
    jti,
    receivedAt,
    occurredAt: receivedAt / 1000,
    events: [event],
    ...rest,
  }
}

/** Provides the consumer of security events, and an identity provider whose people sign in, for a file of tests. */
export function useIdpEvents() {
  let idp: IdentityProvider
  let signIn: SignIn
  let events: SecurityEvents
  beforeAll(async () => {
    const known = await startKnownProvider()
    idp = known.idp
    signIn = await startSignIn(known.settings)
    events = await startSecurityEvents(known.settings, signIn.accounts)
  })
  afterAll(async () => {
    await events.close()
    await signIn.close()
    await idp.close()
  })
  return {
    get idp() {
      return idp
    },
    get signIn() {
      return signIn
    },
    get events() {
      return events
    },
    /** Creates a user who has signed in by the provider. */
    async arrive(subject = unique()) {
      idp.people.set(subject, { email: `${subject}@b.co`, email_verified: true })
      const browser = signIn.browser()
      const page = await idp.signIn(browser, start, subject)
      const user = await signIn.whoIs(browser)
      const session = browser.cookie('service-session') ?? ''
      return { subject, email: `${subject}@b.co`, id: user?.id ?? '', session, page }
    },
    /** Returns whether a session is still valid. */
    holds: async (session: string): Promise<boolean> =>
      (await platformOver(signIn.accounts.call, { session }).auth.session()) !== null,
    /** Returns whether a user may sign in by the provider. */
    enabled: (userId: string) => canSignIn(signIn.accounts, { userId, provider: 'idp' }),
  }
}
