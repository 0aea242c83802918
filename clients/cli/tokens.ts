import { Platform } from '../typescript/index.ts'
import type { Access, Store } from './store.ts'

/** What the platform answers to a program that was let in. */
export interface Tokens {
  access_token: string
  refresh_token?: string
  /** Seconds. */
  expires_in: number
}

/** This long before its end a token is changed for the next one, in milliseconds. */
const earlyMs = 60_000

/** Of one request for the next token; well within what a lock is good for. */
const refreshMs = 15_000

/** What is kept of tokens that were just given, with when they end. */
export function accessOf(tokens: Tokens, clientId: string): Access {
  const { access_token: apiKey, refresh_token: token, expires_in } = tokens
  const expiresAt = new Date(Date.now() + expires_in * 1000).toISOString()
  return token === undefined ? { apiKey } : { apiKey, refresh: { token, clientId, expiresAt } }
}

/**
 * What opens a platform, changed for the next token where it is about to end. One process at a time changes it: a refresh
 * token that two of them show ends what both may do.
 */
export async function renewed(
  store: Store,
  baseUrl: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const kept = () => store.read().access[baseUrl]
  const access = kept()
  if (isGood(access)) return access?.apiKey
  return store.alone(signal, async () => {
    const current = kept()
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

/** A key, which does not end, or a token that is good for a while. */
function isGood(access: Access | undefined): boolean {
  const { refresh } = access ?? {}
  return refresh === undefined || Date.parse(refresh.expiresAt) - Date.now() > earlyMs
}
