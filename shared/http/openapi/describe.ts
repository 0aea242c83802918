import type { Surface } from '#shared/manifest/types.ts'
import { scopesOf } from '../guards/scope.ts'
import { anonymousLimitsOf } from '../limits/limits-of.ts'
import type { Route } from '../route.ts'
import { securityOf } from './security.ts'

const credentials: Readonly<Record<string, string>> = {
  session: 'a session',
  key: 'an API key',
  internal: 'the internal key',
  agent: 'the key of an agent',
}

/** Returns the scopes that give an API key access to a route. Empty if the route accepts any key, or no keys. */
export function keyScopesOf(route: Route<never>): readonly string[] {
  const takesKeys = securityOf[route.guard].some((one) => 'key' in one)
  return takesKeys ? scopesOf(route) : []
}

/** Returns the description of an operation in Markdown: the summary, the details, authentication and limits. */
export function descriptionOf(surface: Surface, route: Route<never>): string {
  return [
    [`${route.summary}.`, ...(route.description === undefined ? [] : [route.description])].join(
      ' ',
    ),
    authentication(route),
    ...(route.idempotent === true ? ['Accepts an `Idempotency-Key`.'] : []),
    ...anonymousLimitsOf(surface, route).map(
      ({ perMinute }) => `At most ${perMinute} requests per minute for each ${countedBy(route)}.`,
    ),
  ].join('\n\n')
}

function countedBy({ guard, limitedBy }: Route<never>): string {
  const isOpen = securityOf[guard].length === 0
  return isOpen && limitedBy === undefined
    ? 'client address'
    : 'caller, or for each client address without a valid credential'
}

function authentication(route: Route<never>): string {
  if (route.guard === 'signature') return 'Authentication: a signature of the sender.'
  const scopes = keyScopesOf(route).map((scope) => `\`${scope}\``)
  const names = securityOf[route.guard].map((one) => {
    const [scheme = ''] = Object.keys(one)
    const name = credentials[scheme] ?? 'none'
    if (scheme !== 'key' || scopes.length === 0) return name
    const isByBody = scopes.length > 1 && route.body !== undefined
    const which = isByBody ? ', depending on the body' : ''
    return `${name} with the scope ${scopes.join(' or ')}${which}`
  })
  return `Authentication: ${names.length === 0 ? 'none' : names.join(', or ')}.`
}
