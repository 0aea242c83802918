import type { GuardName } from '../guards/guard.ts'
import type { RequestHeader } from '../route.ts'

const described: Record<RequestHeader, string> = {
  'Idempotency-Key':
    'Any text of 1 to 255 characters; a request that is sent again under the same key does nothing a second time and gets the first answer, for 24 hours',
  'Last-Event-ID': 'The id of the last event that was read: the stream goes on behind it',
  'x-user-id': 'With INTERNAL_API_KEY: the user for whom the call is made',
  'x-user-email': 'With INTERNAL_API_KEY: that user’s address, by which an administrator is known',
  'x-user-plan': 'With INTERNAL_API_KEY: the plan that the call counts against',
  'x-billing-subscription-id': 'With INTERNAL_API_KEY: the subscription of that plan',
  'x-router-secret': 'The secret of the agents’ router',
  'x-router-hold': 'For how many seconds an agent is kept awake by this question, an hour at most',
  'x-forwarded-host': 'The host that was asked for',
  'x-forwarded-method': 'The method that it was asked with',
  'x-forwarded-uri': 'The path and query that were asked for',
  'x-forwarded-upgrade': 'What the connection is to become, where it is to',
}

/** Guards that the internal key passes, for a user that a header names. */
const actsForOthers: ReadonlySet<GuardName> = new Set([
  'internal',
  'internal-or-user',
  'internal-user-or-agent',
  'agent-or-internal',
])

/** The request headers that a route reads, as parameters of an OpenAPI document; authentication is not among them. */
export function headerParameters(route: {
  guard: GuardName
  headers?: readonly RequestHeader[]
  idempotent?: true
}): object[] {
  const names: RequestHeader[] = [
    ...(actsForOthers.has(route.guard) ? (['x-user-id'] as const) : []),
    ...(route.idempotent === true ? (['Idempotency-Key'] as const) : []),
    ...(route.headers ?? []),
  ]
  return names.map((name) => ({
    name,
    in: 'header',
    required: false,
    description: described[name],
    schema: { type: 'string' },
  }))
}
