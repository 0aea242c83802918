import * as oauth from 'openid-client'
import { mayBePlain } from '#shared/platform/http-client/secure.ts'
import { providerFetch } from '../exchange.ts'
import { clientKeys } from './client-keys.ts'

export interface IdpSettings {
  /** True on AWS, where TLS is required. */
  deployed: boolean
  issuer: string
  clientId: string
  clientSecret: string
}

/** Client configurations of the provider; more than one if there are several ways to send the secret. */
export type Configurations = readonly [oauth.Configuration, ...oauth.Configuration[]]

/** A provider's endpoints rarely change, and a function's instance lives for hours. */
const cacheMs = 3_600_000

/** The ways to send a secret. Many providers implement the first correctly, but omit the escapes of the second. */
const proofs: Readonly<Record<string, (secret: string) => oauth.ClientAuth>> = {
  client_secret_post: oauth.ClientSecretPost,
  client_secret_basic: oauth.ClientSecretBasic,
}

/**
 * Runs the provider's discovery, at most once an hour, and again after a failure.
 * @returns configurations for one sign-in each
 */
export function discoverer(settings: IdpSettings): () => Promise<Configurations> {
  let found: { at: number; asked: Promise<() => Configurations> } | undefined

  function described(): Promise<() => Configurations> {
    if (found !== undefined && Date.now() - found.at < cacheMs) return found.asked
    const discovery = discover(settings)
    const asking = { at: Date.now(), asked: discovery }
    found = asking
    discovery.catch(() => {
      if (found === asking) found = undefined
    })
    return discovery
  }

  return async () => (await described())()
}

async function discover(settings: IdpSettings): Promise<() => Configurations> {
  const { deployed, issuer, clientId, clientSecret } = settings
  const server = new URL(issuer)
  const execute = [
    // Verifies the signatures of ID tokens, so that they need not rely on TLS.
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
 * Runs an action as the client. A provider may accept the secret in only one of the ways that it lists; it refuses
 * the other before it reads the rest of the request.
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
