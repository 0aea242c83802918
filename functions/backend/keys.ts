import { userKeyIdentity } from '#shared/accounts/keys/identity.ts'
import { keyHolder } from '#shared/accounts/keys/schema.ts'
import { holderOf } from '#shared/accounts/keys/validate.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'

/** The guard has already validated the key. */
const route = routesWith<object>()

export const routes = [
  route({
    name: 'keys.validate',
    method: 'POST',
    path: '/api/validate-key',
    summary: 'Validate an API key',
    description: 'Returns its owner and scopes.',
    tag: 'keys',
    guard: 'user-key',
    scope: 'any',
    response: keyHolder(),
    errors: ['unauthorized', 'too-many-requests', 'internal'],
    notAudited: 'reads',
    handle: ({ actor }) => holderOf(actor.user),
  }),
]

export function wire(config: ConfigOf<'backend-keys'>): Wiring<object> {
  const table = openTable(config)
  const identify = userKeyIdentity(table, config.ADMIN_EMAILS)
  return {
    services: {},
    // spec.md, API keys: the prefix is optional here.
    identity: { userKey: (key: string) => identify(key.startsWith('sk_') ? key : `sk_${key}`) },
    table,
  }
}
