import * as oauth from 'openid-client'
import * as z from 'zod'
import { keySetFetch } from '#shared/platform/key-set-fetch.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { providerFetch } from '../exchange.ts'

const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })

/** The library fetches a set again after 300 s, and for an unknown key after 60 s. */
const library = { staleSeconds: 300, refreshSeconds: 60 }

/**
 * Provides clients with the provider's signing keys, fetched once for all of them. A provider may start to sign with a
 * new key at any time, and a sign-in cannot be repeated because its code is already used. Verification must therefore
 * be able to fetch the keys again, so each client gets keys that the library regards as old enough to fetch again.
 * @returns a function to call for each new client before its first request
 */
export function clientKeys(jwksUri: string | undefined): (client: oauth.Configuration) => void {
  const fetchKeys = keySetFetch(providerFetch)
  const keysUrl = jwksUri === undefined ? undefined : new URL(jwksUri).href
  let cached: { jwks: z.output<typeof keySet>; at: number } | undefined

  async function load(url: string, init: RequestInit, isRefresh: boolean): Promise<Response> {
    const response = await fetchKeys(url, init, isRefresh)
    const found = keySet.safeParse(
      await response
        .clone()
        .json()
        .catch(() => undefined),
    )
    if (response.ok && found.success) cached = { jwks: found.data, at: epochSeconds() }
    return response
  }

  return (client) => {
    const now = epochSeconds()
    const isKnown = cached !== undefined && now - cached.at < library.staleSeconds
    if (cached !== undefined && isKnown)
      oauth.setJwksCache(client, {
        jwks: cached.jwks as oauth.ExportedJWKSCache['jwks'],
        uat: Math.min(cached.at, now - library.refreshSeconds),
      })
    const ask = async (url: string, init: RequestInit) =>
      url === keysUrl ? load(url, init, isKnown) : providerFetch(url, init)
    client[oauth.customFetch] = ask as oauth.CustomFetch
  }
}
