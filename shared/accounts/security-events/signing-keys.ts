import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import * as z from 'zod'
import { boundedFetch } from '#shared/platform/http-client/fetch.ts'
import { requireSecure } from '#shared/platform/http-client/secure.ts'

export interface SigningKeysOptions {
  /** The provider's published configuration, which contains the URL of its key set. */
  configurationUrl: string
  deployed: boolean
}

/** spec.md, Limits: provider signing-key cache. */
const cacheMs = 24 * 3_600_000

/** Time between two refreshes for unknown keys: forged tokens must not become requests to the provider. */
const cooldownMs = 30_000

/** A key set has a few keys of a few kilobytes. */
const fetchKeys = boundedFetch({ totalMs: 5000, maxBytes: 262_144 })

const configuration = z.object({ jwks_uri: z.url() })

/**
 * Allows one refresh soon after the first fetch, because the provider may have just changed its keys. After that
 * refresh or a failure, it rejects refreshes for the cooldown.
 */
function resting(ask: typeof fetchKeys): typeof fetchKeys {
  let closedUntil = 0
  let isFirst = true
  return async (url, init) => {
    if (Date.now() < closedUntil) throw new Error('the keys could not be fetched a moment ago')
    closedUntil = Date.now() + cooldownMs
    const response = await ask(url, init)
    if (response.ok && isFirst) {
      isFirst = false
      closedUntil = 0
    }
    return response
  }
}

/**
 * Returns the provider's signing keys, by the `kid` of a token's header. They are fetched once a day, and again for
 * an unknown `kid`.
 */
export function signingKeys({ configurationUrl, deployed }: SigningKeysOptions): JWTVerifyGetKey {
  let found: { until: number; keys: Promise<JWTVerifyGetKey> } | undefined

  async function findKeys(): Promise<JWTVerifyGetKey> {
    const response = await fetchKeys(requireSecure(new URL(configurationUrl), deployed).href)
    if (!response.ok)
      throw new Error(`the provider's configuration responded with ${response.status}`)
    const { jwks_uri: uri } = configuration.parse(await response.json())
    const keys = createRemoteJWKSet(requireSecure(new URL(uri), deployed), {
      cacheMaxAge: cacheMs,
      cooldownDuration: 0,
      [customFetch]: resting(fetchKeys),
    })
    await keys.reload()
    return keys
  }

  function currentKeys(): Promise<JWTVerifyGetKey> {
    if (found !== undefined && found.until > Date.now()) return found.keys
    const finding = { until: Date.now() + cacheMs, keys: findKeys() }
    found = finding
    finding.keys.catch(() => {
      finding.until = Date.now() + cooldownMs
    })
    return finding.keys
  }

  return async (header, token) => (await currentKeys())(header, token)
}
