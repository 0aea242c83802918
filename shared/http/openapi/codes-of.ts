import type { Surface } from '#shared/manifest/types.ts'
import type { ErrorKind } from '#shared/platform/errors.ts'
import { scopesOf } from '../guards/scope.ts'
import { anonymousLimitsOf } from '../limits/limits-of.ts'
import type { Route } from '../route.ts'
import { type ErrorCode, kindsOf } from './codes.ts'
import { securityOf } from './security.ts'

const safe: ReadonlySet<string> = new Set(['GET'])

/** The guards without a credential. All others refuse an address that sends too many unknown credentials. */
const isOpen: ReadonlySet<string> = new Set(['none', 'signature', 'proven-agent-or-anyone'])

/** Returns the error codes that the framework adds to a route. Routes do not declare them. */
function ownCodes(surface: Surface, route: Route<never>): ErrorCode[] {
  const takesKeys = securityOf[route.guard].some((one) => 'key' in one)
  const changes = !safe.has(route.method) && route.crossSite !== true
  return [
    ...(route.guard === 'own-session' ? (['SESSION_REQUIRED'] as const) : []),
    ...(takesKeys && scopesOf(route).length > 0 ? (['SCOPE_REQUIRED'] as const) : []),
    ...(route.open === undefined ? [] : (['TOO_MANY_OPEN'] as const)),
    ...(surface === 'web' && changes ? (['CSRF'] as const) : []),
    ...(route.idempotent === true
      ? ([
          'IDEMPOTENCY_ANSWER_TOO_LARGE',
          'IDEMPOTENCY_IN_PROGRESS',
          'IDEMPOTENCY_KEY_REUSED',
        ] as const)
      : []),
  ]
}

/**
 * The kinds of errors without a code that the framework adds: for an invalid body, an invalid query, and too many
 * requests.
 */
function ownKinds(surface: Surface, route: Route<never>): ErrorKind[] {
  const { body, rawBody, query, passesOn } = route
  const hasBody = body !== undefined || rawBody !== undefined
  const isCounted = anonymousLimitsOf(surface, route).length > 0 || !isOpen.has(route.guard)
  return [
    ...(body !== undefined || query !== undefined ? (['bad-request'] as const) : []),
    ...(hasBody && passesOn !== true ? (['payload-too-large'] as const) : []),
    ...(isCounted ? (['too-many-requests'] as const) : []),
  ]
}

/**
 * Returns the codes of a route's errors by kind, and the kinds that the framework adds to the route's own.
 * @throws Error for a declared code that does not fit any of the route's errors
 */
export function codesOf(
  surface: Surface,
  route: Route<never>,
): { kinds: ErrorKind[]; codes: Map<ErrorKind, ErrorCode[]> } {
  const own = ownCodes(surface, route)
  const kinds = [...ownKinds(surface, route), ...own.flatMap(kindsOf)]
  const carried = new Set([...route.errors, ...kinds])
  const codes = new Map<ErrorKind, ErrorCode[]>()
  for (const code of [...new Set([...own, ...(route.codes ?? [])])].sort()) {
    const fitting = kindsOf(code).filter((kind) => carried.has(kind))
    if (fitting.length === 0)
      throw new Error(`${route.name} declares ${code}, but has no error of its kind`)
    for (const kind of fitting) codes.set(kind, [...(codes.get(kind) ?? []), code])
  }
  return { kinds, codes }
}
