import type { Surface } from '../../manifest/types.ts'
import { scopeOf } from '../guards/scope.ts'
import { anonymousLimitsOf } from '../limits/limits-of.ts'
import type { Route } from '../route.ts'
import { securityOf } from './security.ts'

const credentials: Readonly<Record<string, string>> = {
  session: 'a session',
  key: 'an API key',
  internal: 'the internal key',
  agent: 'the key of an agent',
}

/** The scope that a route asks of API keys; undefined where it takes every key, or none. */
export function keyScopeOf(route: Route<never>): string | undefined {
  const scope = scopeOf(route)
  const takesKeys = securityOf[route.guard].some((one) => 'key' in one)
  return takesKeys && scope !== 'any' ? scope : undefined
}

/** What an operation does, who may call it and how often, in Markdown. */
export function descriptionOf(surface: Surface, route: Route<never>): string {
  return [
    `${route.summary}.`,
    authentication(route),
    ...(route.idempotent === true ? ['Takes an `Idempotency-Key`.'] : []),
    ...anonymousLimitsOf(surface, route).map(
      ({ perMinute }) => `At most ${perMinute} requests a minute for each ${countedBy(route)}.`,
    ),
  ].join('\n\n')
}

function countedBy({ guard, limitedBy }: Route<never>): string {
  const isOpen = guard === 'none' || guard === 'signature'
  return isOpen && limitedBy === undefined
    ? 'client address'
    : 'caller with a good credential, and for each client address without one'
}

function authentication(route: Route<never>): string {
  if (route.guard === 'signature') return 'Authentication: a signature of the sender.'
  const scope = keyScopeOf(route)
  const names = securityOf[route.guard].map((one) => {
    const [scheme = ''] = Object.keys(one)
    const name = credentials[scheme] ?? 'none'
    return scheme === 'key' && scope !== undefined ? `${name} with the scope \`${scope}\`` : name
  })
  return `Authentication: ${names.length === 0 ? 'none' : names.join(', or ')}.`
}
