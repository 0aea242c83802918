import * as z from 'zod'
import { type KeyScope, keyScopes } from '../identity/actor.ts'

/**
 * The scopes of a key or a program as a row holds them. The release before knows no `money` among `scopes`, so that it
 * has an attribute of its own.
 */
export const scopeAttributes = () => ({
  scopes: z.array(z.enum(['read', 'chat', 'write', 'admin'])),
  money: z.literal(true).optional(),
})

export interface StoredScopes {
  scopes: Exclude<KeyScope, 'money'>[]
  money?: true | undefined
}

export function storedScopes(scopes: readonly KeyScope[]): StoredScopes {
  return {
    scopes: scopes.filter((scope) => scope !== 'money'),
    ...(scopes.includes('money') && { money: true }),
  }
}

/** The scopes that a row holds, in one order. */
export function scopesOfRow({ scopes, money }: StoredScopes): KeyScope[] {
  return keyScopes.filter((scope) => (scope === 'money' ? money === true : scopes.includes(scope)))
}
