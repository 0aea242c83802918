import { scopeRequired } from '../../platform/errors.ts'
import { type Actor, allows, type KeyScope } from '../../identity/actor.ts'

/** What a route's definition says of the API keys that it takes. */
export interface ScopedRoute {
  method: string
  scope?: KeyScope | 'any' | undefined
}

/** The scope that a route asks for: its own, else reading for GET and writing for every other method. */
export function scopeOf({ method, scope }: ScopedRoute): KeyScope | 'any' {
  return scope ?? (method === 'GET' ? 'read' : 'write')
}

/** Holds an API key to its scopes; sessions and the platform's own callers have none. @throws PlatformError 403 SCOPE_REQUIRED */
export function checkScope(actor: Actor, route: ScopedRoute): void {
  if (actor.type !== 'user' || actor.via === 'session') return
  const needed = scopeOf(route)
  if (needed !== 'any' && !allows(actor.user.scopes, needed, route.method))
    throw scopeRequired(needed)
}
