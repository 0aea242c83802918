import { type BootstrapContext, redeem } from '../../shared/fleet/bootstrap/redeem.ts'
import type { Wiring } from '../../shared/http/wiring.ts'
import { routesWith } from '../../shared/http/route.ts'
import { bootstrapAnswer, bootstrapQuestion } from '../../shared/fleet/bootstrap/schema.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'

const route = routesWith<BootstrapContext>()

export const routes = [
  /** The bearer is good once, for one start of one agent: shared/fleet/bootstrap. */
  route({
    name: 'agents.bootstrap',
    method: 'POST',
    path: '/bootstrap',
    summary: 'What an agent’s container runs by, once a start; for that container alone',
    tag: 'agents',
    guard: 'none',
    // Not a client's: all agents of one machine come from one address.
    limits: [{ scope: 'bootstrap', perMinute: 600 }],
    body: bootstrapQuestion,
    response: bootstrapAnswer,
    errors: ['bad-request', 'unauthorized', 'too-many-requests', 'unavailable'],
    notAudited: 'a container fetches what its start was given',
    handle: (ctx, { body }) => {
      const [, token = ''] =
        /^Bearer +(\S+)$/i.exec(ctx.request.headers.get('authorization') ?? '') ?? []
      return redeem(ctx, { ...body, token })
    },
  }),
]

export function wire(config: ConfigOf<'backend-bootstrap'>): Wiring<BootstrapContext> {
  const table = openTable(config)
  return {
    services: { table, config },
    table,
  }
}
