import * as z from 'zod'
import { admit } from '../../../shared/agents/gate/admit.ts'
import { enter, ticketOf } from '../../../shared/agents/gate/enter.ts'
import { requireRouter } from '../../../shared/agents/gate/router.ts'
import { askedOf } from './asked.ts'
import { route } from './services.ts'

/** 200 is a question answered: go there with these headers. Every other answer is the client's own. */
export const admitRequest = route({
  method: 'GET',
  path: '/api/gate',
  summary:
    'Whether a request for an agent’s host may pass, and where to; for the agents’ router alone',
  tag: 'agents',
  guard: 'none',
  headers: [
    'x-router-secret',
    'x-router-hold',
    'x-forwarded-host',
    'x-forwarded-method',
    'x-forwarded-uri',
    'x-forwarded-upgrade',
  ],
  response: z.object({}),
  errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'unavailable', 'timeout'],
  handle: async (ctx) => {
    await requireRouter(ctx, ctx.request.headers.get('x-router-secret'))
    const asked = askedOf(ctx.request)
    const ticket = ticketOf(asked)
    if (ticket !== undefined) return entrance(await enter(ctx, asked, ticket))
    const { upstream, authorization, cookie } = await admit(ctx, asked)
    return Response.json(
      {},
      {
        headers: {
          'x-agent-upstream': upstream,
          'x-agent-authorization': authorization,
          'x-agent-cookie': cookie,
        },
      },
    )
  },
})

/** The ticket goes no further: the address that held it is left at once, and no page learns of it. */
function entrance(cookie: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location: '/', 'set-cookie': cookie, 'referrer-policy': 'no-referrer' },
  })
}
