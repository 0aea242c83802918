import { Platform } from '../typescript/index.ts'
import type { Access, Store } from './store.ts'

/** An access token response (RFC 6749, section 5.1). */
export interface Tokens {
  access_token: string
  refresh_token?: string
  /** Seconds. */
  expires_in: number
}

/** A token is refreshed this long before it expires, in milliseconds. */
const earlyMs = 60_000

/** The timeout of one refresh, in milliseconds. Must be well below `lockMs`, after which a lock counts as abandoned. */
const refreshMs = 15_000

/** Returns what to store of new tokens, with the time when they expire. */
export function accessOf(tokens: Tokens, clientId: string): Access {
  const { access_token: apiKey, refresh_token: token, expires_in } = tokens
  const expiresAt = new Date(Date.now() + expires_in * 1000).toISOString()
  return token === undefined ? { apiKey } : { apiKey, refresh: { token, clientId, expiresAt } }
}

/**
 * Returns a valid key or token, and refreshes a token that is about to expire. Only one process refreshes at a time,
 * because the platform revokes the grant if a refresh token is used twice.
 */
export async function renewed(
  store: Store,
  baseUrl: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const stored = () => store.read().access[baseUrl]
  const access = stored()
  if (isGood(access)) return access?.apiKey
  return store.alone(signal, async () => {
    const current = stored()
    if (current?.refresh === undefined || isGood(current)) return current?.apiKey
    const { token, clientId } = current.refresh
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: clientId,
    })
    const platform = new Platform({ baseUrl, apiKey: '' })
    const options = { signal, timeoutMs: refreshMs }
    const tokens = await platform.request<Tokens>('POST /oauth/token', { body }, options)
    store.keep(baseUrl, accessOf(tokens, clientId))
    return tokens.access_token
  })
}

/** Returns true for a key, which does not expire, and for a token that is valid for some time. */
function isGood(access: Access | undefined): boolean {
  const { refresh } = access ?? {}
  return refresh === undefined || Date.parse(refresh.expiresAt) - Date.now() > earlyMs
}
