import type { GuardName } from '../guards/guard.ts'

const idempotencyKey = {
  'Idempotency-Key':
    'Any text of 1 to 255 characters. For 24 hours, a retry with the same key returns the first response and is not executed again',
}

const actsFor = { 'x-user-id': 'With INTERNAL_API_KEY: the user of the call' }

/** Guards that accept the internal key, for a user that a header names. */
const actsForOthers: ReadonlySet<GuardName> = new Set([
  'internal',
  'internal-or-user',
  'internal-user-or-agent',
  'agent-or-internal',
])

/** Returns the request headers of a route as parameters of an OpenAPI document, without authentication headers. */
export function headerParameters(route: {
  guard: GuardName
  headers?: Readonly<Record<string, string>>
  idempotent?: true
}): object[] {
  const described: Record<string, string> = {
    ...(actsForOthers.has(route.guard) && actsFor),
    ...(route.idempotent === true && idempotencyKey),
    ...route.headers,
  }
  return Object.entries(described).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }))
}
