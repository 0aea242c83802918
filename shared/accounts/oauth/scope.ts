import { type KeyScope, keyScopes } from '#shared/platform/identity/actor.ts'
import { defaultScopes } from '../users/api-key.ts'
import { oauthError } from './errors.ts'

/**
 * Returns a request's scopes in a fixed order, or the default scopes of keys if it has none.
 * @throws PlatformError 400 invalid_scope
 */
export function scopesOf(text: string | undefined): KeyScope[] {
  const names = (text ?? '').split(' ').filter((name) => name !== '')
  if (names.length === 0) return defaultScopes
  const unknown = names.some((name) => !(keyScopes as readonly string[]).includes(name))
  if (unknown) throw oauthError('invalid_scope', `scope must be from ${keyScopes.join(' ')}`)
  return keyScopes.filter((scope) => names.includes(scope))
}
