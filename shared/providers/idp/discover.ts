import * as oauth from 'openid-client'
import { mayBePlain } from '../../platform/http-client/secure.ts'
import { providerFetch } from '../exchange.ts'
import { clientKeys } from './client-keys.ts'

export interface IdpSettings {
  /** On AWS, where nothing is spoken in the clear. */
  deployed: boolean
  issuer: string
  clientId: string
  clientSecret: string
}

/** The provider as one client sees it; more than one where the secret can be sent in more than one way. */
export type Configurations = readonly [oauth.Configuration, ...oauth.Configuration[]]

/** A provider's endpoints change seldom, and a function's instance lives for hours. */
const cacheMs = 3_600_000

/** The ways to send a secret. Many providers read the first more exactly than the second, whose escapes they forget. */
const proofs: Readonly<Record<string, (secret: string) => oauth.ClientAuth>> = {
  client_secret_post: oauth.ClientSecretPost,
  client_secret_basic: oauth.ClientSecretBasic,
}

/**
 * Asks the provider to describe itself, at most once an hour, and again after it could not be asked.
 * @returns clients for one sign-in each
 */
export function discoverer(settings: IdpSettings): () => Promise<Configurations> {
  let found: { at: number; asked: Promise<() => Configurations> } | undefined

  function described(): Promise<() => Configurations> {
    if (found !== undefined && Date.now() - found.at < cacheMs) return found.asked
    const asked = discover(settings)
    const asking = { at: Date.now(), asked }
    found = asking
    asked.catch(() => {
      if (found === asking) found = undefined
    })
    return asked
  }

  return async () => (await described())()
}

async function discover(settings: IdpSettings): Promise<() => Configurations> {
  const { deployed, issuer, clientId, clientSecret } = settings
  const server = new URL(issuer)
  const execute = [
    // The line alone could vouch for ID tokens only where there is TLS; signatures do everywhere.
    oauth.enableNonRepudiationChecks,
    ...(mayBePlain(server, deployed) ? [oauth.allowInsecureRequests] : []),
  ]
  const options = { execute, [oauth.customFetch]: providerFetch as oauth.CustomFetch }
  const described = await oauth.discovery(server, clientId, undefined, oauth.None(), options)
  const metadata = described.serverMetadata()
  const supported = metadata.token_endpoint_auth_methods_supported ?? Object.keys(proofs)
  const [first = oauth.ClientSecretPost, ...others] = Object.entries(proofs)
    .filter(([name]) => supported.includes(name))
    .map(([, proof]) => proof)
  const giveKeys = clientKeys(metadata.jwks_uri)
  const configure = (proof: typeof first) => {
    const client = new oauth.Configuration(metadata, clientId, undefined, proof(clientSecret))
    giveKeys(client)
    for (const extend of execute) extend(client)
    return client
  }
  return () => [configure(first), ...others.map(configure)]
}

/**
 * Does something as the client. A provider may take the secret in one way only of those that it lists; it says so
 * before it looks at anything else.
 */
export async function asClient<T>(
  [first, second]: Configurations,
  act: (configuration: oauth.Configuration) => Promise<T>,
): Promise<T> {
  try {
    return await act(first)
  } catch (error) {
    if (second === undefined || !refusesClient(error)) throw error
    return act(second)
  }
}

function refusesClient(error: unknown): boolean {
  const { cause } = error as Error
  for (const one of [error, cause]) {
    if (one instanceof oauth.ResponseBodyError) return one.error === 'invalid_client'
    if (one instanceof oauth.WWWAuthenticateChallengeError) return one.status === 401
  }
  return false
}
