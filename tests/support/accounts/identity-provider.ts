import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import type { Browser, Page } from './browser.ts'

interface Person {
  email?: string
  email_verified?: boolean | string
  name?: string
}

export interface IdentityProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** The people who can sign in, by subject. */
  people: Map<string, Person>
  /** The refresh tokens that were revoked at its endpoint, in order. */
  revoked: string[]
  /** While true, it closes every connection. */
  down: boolean
  /** Signs in at its pages and consents. */
  signIn(browser: Browser, start: string, subject: string): Promise<Page>
  close(): Promise<void>
}

export interface IdentityProviderOptions {
  /** The platform's authentication method at the token endpoint. */
  clientProof?: 'client_secret_basic' | 'client_secret_post'
}

/**
 * Starts a real OpenID Connect provider on a socket of its own.
 * @param redirectUri the only allowed redirect URI
 */
export async function startIdentityProvider(
  redirectUri: string,
  { clientProof = 'client_secret_basic' }: IdentityProviderOptions = {},
): Promise<IdentityProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clientId = 'platform'
  const clientSecret = 'a secret of the tests, with : and % in it'
  const people = new Map<string, Person>()
  const revoked: string[] = []
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: clientProof,
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['a key of the tests'] },
    features: { revocation: { enabled: true } },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, ...people.get(sub) }) as never,
    }),
  })
  provider.on('refresh_token.destroyed', ({ jti }) => revoked.push(jti))
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (idp.down) request.socket.destroy()
    else void answer(request, response)
  })
  const idp: IdentityProvider = {
    issuer,
    clientId,
    clientSecret,
    people,
    revoked,
    down: false,
    async signIn(browser, start, subject) {
      const login = await browser.open(start)
      const consent = await browser.submit(login, { login: subject, password: 'any' })
      return browser.submit(consent, { prompt: 'consent' })
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return idp
}
