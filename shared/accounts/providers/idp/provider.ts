import * as oauth from 'openid-client'
import { exchangeCode } from '../exchange.ts'
import { toProfile } from '../profile.ts'
import { type SignInProvider, SignInFailed } from '../provider.ts'
import { asClient, discoverer, type IdpSettings } from './discover.ts'

export interface IdentityProvider extends SignInProvider {
  /** Revokes a refresh token at the provider, if the provider supports it: RFC 7009. */
  revoke(refreshToken: string): Promise<void>
}

/**
 * The identity provider, by OpenID Connect.
 * @param redirectUri the provider's redirect target: the callback
 */
export function identityProvider(
  settings: IdpSettings & { redirectUri: string },
): IdentityProvider {
  const { redirectUri } = settings
  const configurations = discoverer(settings)

  return {
    name: 'idp',
    label: new URL(settings.issuer).host,

    async begin() {
      const [configuration] = await configurations()
      const pending = {
        state: oauth.randomState(),
        nonce: oauth.randomNonce(),
        verifier: oauth.randomPKCECodeVerifier(),
      }
      const location = oauth.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        ...scopesOf(configuration),
        // Without an explicit consent the provider sends no refresh token: OpenID Connect Core 1.0, section 11.
        prompt: 'consent',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      })
      return { location, pending }
    },

    async finish(answer, pending) {
      const [configuration, ...others] = await configurations()
      checkIssuer(configuration, answer)
      const callback = new URL(redirectUri)
      callback.search = answer.toString()
      const tokens = await asClient([configuration, ...others], (client) =>
        exchangeCode(client, callback, pending),
      )
      const claims = tokens.claims()
      if (claims === undefined) throw new SignInFailed('TokenFailed')
      const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
      const person =
        claims.email !== undefined || endpoint === undefined
          ? claims
          : await oauth.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return toProfile({
        subject: claims.sub,
        email: person.email,
        // Some providers send the boolean as a text.
        verified: String(person.email_verified) === 'true',
        name: person.name,
        refreshToken: tokens.refresh_token,
      })
    },

    async revoke(refreshToken) {
      const clients = await configurations()
      if (clients[0].serverMetadata().revocation_endpoint === undefined) return
      await asClient(clients, (client) =>
        oauth.tokenRevocation(client, refreshToken, { token_type_hint: 'refresh_token' }),
      )
    },
  }
}

/** Checks that the answer comes from the provider of the request: RFC 9207. @throws SignInFailed AuthFailed */
function checkIssuer(configuration: oauth.Configuration, answer: URLSearchParams): void {
  const { issuer, authorization_response_iss_parameter_supported: promised } =
    configuration.serverMetadata()
  const responseIssuer = answer.get('iss')
  if (responseIssuer === null ? promised === true : responseIssuer !== issuer)
    throw new SignInFailed('AuthFailed')
}

/** Offline access is a scope; providers that do not list it among their scopes have a parameter instead. */
function scopesOf(configuration: oauth.Configuration): Record<string, string> {
  const scope = 'openid email profile'
  const { scopes_supported: supported } = configuration.serverMetadata()
  if (supported === undefined || supported.includes('offline_access'))
    return { scope: `${scope} offline_access` }
  return { scope, access_type: 'offline' }
}
