import * as z from 'zod'
import { type KeyScope, keyScopes } from '#shared/platform/identity/actor.ts'

/**
 * The scopes of a key or a program in a row. The previous release does not know `money` in `scopes`, so `money` is
 * an attribute of its own.
 */
export const scopeAttributes = () => ({
  scopes: z.array(z.enum(['read', 'chat', 'write', 'admin'])),
  money: z.literal(true).optional(),
})

export interface StoredScopes {
  scopes: Exclude<KeyScope, 'money'>[]
  money?: true | undefined
}

/** Returns scopes in the form of a row. */
export function storedScopes(scopes: readonly KeyScope[]): StoredScopes {
  return {
    scopes: scopes.filter((scope) => scope !== 'money'),
    ...(scopes.includes('money') && { money: true }),
  }
}

/** Returns the scopes of a row in a fixed order. */
export function scopesOfRow({ scopes, money }: StoredScopes): KeyScope[] {
  return keyScopes.filter((scope) => (scope === 'money' ? money === true : scopes.includes(scope)))
}
