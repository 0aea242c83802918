import * as oauth from 'openid-client'
import * as z from 'zod'
import { mayBePlain, requireSecure } from '#shared/platform/http-client/secure.ts'
import { exchangeCode, providerFetch } from '../exchange.ts'
import { toProfile } from '../profile.ts'
import type { SignInProvider } from '../provider.ts'

export interface CodehostSettings {
  /** True on AWS, where TLS is required. */
  deployed: boolean
  /** The base URL of the code host's pages, such as https://github.com. */
  baseUrl: string
  /** The base URL of the code host's API, such as https://api.github.com. */
  apiUrl: string
  clientId: string
  clientSecret: string
  /** The provider's redirect target: the callback. */
  redirectUri: string
}

const account = z.object({ id: z.number(), login: z.string(), name: z.string().nullish() })

const addresses = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
)

/** The code host: OAuth 2 with PKCE, and two requests to its API (contract.md 1). */
export function codehost(settings: CodehostSettings): SignInProvider {
  const { redirectUri } = settings
  return {
    name: 'codehost',
    label: new URL(settings.baseUrl).host,

    async begin() {
      const pending = { state: oauth.randomState(), verifier: oauth.randomPKCECodeVerifier() }
      const location = oauth.buildAuthorizationUrl(configure(settings), {
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        state: pending.state,
        code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      })
      return { location, pending }
    },

    async finish(answer, pending) {
      const callback = new URL(redirectUri)
      callback.search = answer.toString()
      // Each provider has its own callback, which protects as well as a check of the issuer.
      callback.searchParams.delete('iss')
      const tokens = await exchangeCode(configure(settings), callback, pending)
      const [user, emails] = await Promise.all([
        ask(settings, '/user', tokens.access_token, account),
        ask(settings, '/user/emails', tokens.access_token, addresses),
      ])
      const primary = emails.find((one) => one.primary)
      return toProfile({
        subject: String(user.id),
        email: primary?.email,
        verified: primary?.verified === true,
        name: user.name || user.login,
        refreshToken: tokens.refresh_token,
      })
    },
  }
}

function configure({ deployed, baseUrl, clientId, clientSecret }: CodehostSettings) {
  const issuer = `${requireSecure(new URL(baseUrl), deployed).href.replace(/\/$/, '')}/login/oauth`
  const configuration = new oauth.Configuration(
    {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/access_token`,
    },
    clientId,
    undefined,
    oauth.ClientSecretPost(clientSecret),
  )
  configuration[oauth.customFetch] = providerFetch as oauth.CustomFetch
  if (mayBePlain(new URL(baseUrl), deployed)) oauth.allowInsecureRequests(configuration)
  return configuration
}

async function ask<Schema extends z.ZodType>(
  { deployed, apiUrl }: CodehostSettings,
  path: string,
  token: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  requireSecure(new URL(apiUrl), deployed)
  const response = await providerFetch(apiUrl + path, {
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      // The API refuses requests without this header.
      'user-agent': 'agent-platform',
    },
  })
  if (!response.ok) throw new Error(`${path} of the code host responded with ${response.status}`)
  return schema.parse(await response.json())
}
