import { scopeRequired } from '#shared/platform/errors.ts'
import { type Actor, allows, type KeyScope } from '#shared/platform/identity/actor.ts'

/** The fields of a route that decide which API keys it accepts. */
export interface ScopedRoute {
  method: string
  /** With several scopes, the body decides which one a request needs. */
  scope?: KeyScope | 'any' | readonly KeyScope[] | undefined
}

/**
 * Returns the scopes that give access to a route; a key needs one of them. Default: `read` for GET, `write` otherwise.
 * Empty for `any`.
 */
export function scopesOf({ method, scope }: ScopedRoute): readonly KeyScope[] {
  if (scope === 'any') return []
  if (typeof scope === 'object') return scope
  return [scope ?? (method === 'GET' ? 'read' : 'write')]
}

/**
 * Checks the scopes of an API key. Sessions and the platform's own callers have no scopes. If a route lists several
 * scopes, a key needs one of them here, and `handle` checks the one that the body needs.
 * @throws PlatformError 403 SCOPE_REQUIRED
 */
export function checkScope(actor: Actor, route: ScopedRoute): void {
  if (actor.type !== 'user' || actor.via === 'session') return
  const [least, ...others] = scopesOf(route)
  if (least === undefined) return
  const { scopes } = actor.user
  if (![least, ...others].some((scope) => allows(scopes, scope, route.method)))
    throw scopeRequired(least)
}
