import { redeem } from '#shared/agents/fleet/bootstrap/redeem.ts'
import { bootstrapAnswer, bootstrapQuestion } from '#shared/agents/fleet/bootstrap/schema.ts'
import { askForAgent } from '#shared/agents/fleet/warm-pool/ask.ts'
import { warmAnswer, warmQuestion } from '#shared/agents/fleet/warm-pool/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openTable } from '#shared/platform/table/open.ts'

const route = routesWith<
  Pick<Context, 'table'> & Reads<'WALLET_ENCRYPTION_KEY' | 'WATCHDOG_AUTO_REPAIR'>
>()

export const routes = [
  /** The bearer token is valid once, for one start of one agent: shared/agents/fleet/bootstrap. */
  route({
    name: 'agents.bootstrap',
    method: 'POST',
    path: '/bootstrap',
    summary: 'Get the start environment of a container',
    description: 'Called by the agent’s container, once per start.',
    tag: 'agents',
    guard: 'none',
    // All agents of one machine share an address, so requests with a valid token are not counted.
    limits: [{ scope: 'bootstrap', perMinute: 300 }],
    limitedBy: 'handler',
    body: bootstrapQuestion,
    response: bootstrapAnswer,
    errors: ['bad-request', 'unauthorized', 'too-many-requests', 'unavailable'],
    notAudited: 'a container fetches its environment',
    handle: (ctx, { body }) => redeem(ctx, { ...body, token: bearerOf(ctx.request) }),
  }),
  /** The bearer token belongs to one container of the warm pool, from its first request on: shared/agents/fleet/warm-pool. */
  route({
    name: 'agents.bootstrap.warm',
    method: 'POST',
    path: '/bootstrap/warm',
    summary: 'Get the agent assigned to a warm container',
    description: 'Called by the container while it waits.',
    tag: 'agents',
    guard: 'none',
    limits: [{ scope: 'bootstrap-warm', perMinute: 300 }],
    limitedBy: 'handler',
    body: warmQuestion,
    response: warmAnswer,
    errors: ['bad-request', 'unauthorized', 'too-many-requests', 'unavailable'],
    notAudited: 'a container polls for an agent',
    handle: (ctx, { body }) => askForAgent(ctx, { ...body, token: bearerOf(ctx.request) }),
  }),
]

function bearerOf({ headers }: { headers: Headers }): string {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  return token
}

export function wire(
  config: ConfigOf<'backend-bootstrap'>,
): Wiring<Pick<Context, 'table'> & Reads<'WALLET_ENCRYPTION_KEY' | 'WATCHDOG_AUTO_REPAIR'>> {
  const table = openTable(config)
  return {
    services: { table, config },
    table,
  }
}
