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

export function accessOf(tokens: Tokens, clientId: string): Access {
  const { access_token: apiKey, refresh_token: token, expires_in } = tokens
  const expiresAt = new Date(Date.now() + expires_in * 1000).toISOString()
  return token === undefined ? { apiKey } : { apiKey, refresh: { token, clientId, expiresAt } }
}

/** What opens a platform, changed for the next token where it is about to end. */
export async function renewed(
  store: Store,
  baseUrl: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const access = store.read().access[baseUrl]
  if (access?.refresh === undefined) return access?.apiKey
  const { token, clientId, expiresAt } = access.refresh
  if (Date.parse(expiresAt) - Date.now() > earlyMs) return access.apiKey
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: clientId,
  })
  const platform = new Platform({ baseUrl, apiKey: '' })
  const tokens = await platform.request<Tokens>('POST /oauth/token', { body }, { signal })
  store.keep(baseUrl, accessOf(tokens, clientId))
  return tokens.access_token
}
