import * as z from 'zod'
import { routesWith } from '#shared/http/route.ts'
import { finishSignIn, type FinishedSignIn } from '#shared/tools/connections/finish-sign-in.ts'
import {
  clientDocument,
  clientDocumentOf,
} from '#shared/tools/connections/oauth/client-document.ts'
import type { Services } from './services.ts'

const route = routesWith<Services>()

const tag = 'connections'

export const callbackRoutes = [
  route({
    name: 'connections.finishSignIn',
    method: 'GET',
    path: '/api/connections/callback',
    summary: 'Finish the sign-in of a connection',
    description:
      'An authorization server sends the browser here. Leads back to the agent’s page, with `error` if the sign-in failed.',
    tag,
    guard: 'optional-session',
    status: 303,
    response: z.null(),
    errors: [],
    notAudited: 'a sign-in at another service; it gives no access here',
    handle: async (ctx) => {
      const { actor, owner, request, webUrl } = ctx
      if (actor.type !== 'user' || owner === undefined)
        return leadBack(`${webUrl}/login?${new URLSearchParams({ next: '/agents' })}`)
      const answer = new URL(request.url).searchParams
      return leadBack(pageOf(webUrl, await finishSignIn({ ...ctx, actor, owner }, answer)))
    },
  }),

  route({
    name: 'connections.getClient',
    method: 'GET',
    path: '/api/connections/client',
    summary: 'Get the platform’s metadata as an OAuth client',
    description: 'Authorization servers read it by its address, which is the client’s id.',
    tag,
    guard: 'none',
    response: clientDocument,
    errors: [],
    handle: async ({ webUrl }) => clientDocumentOf(webUrl),
  }),
]

function pageOf(webUrl: string, { agentId, name, failure }: FinishedSignIn): string {
  const page = agentId === undefined ? '/agents' : `/agents/${agentId}/connections`
  const query = new URLSearchParams({
    ...(name !== undefined && { connection: name }),
    ...(failure !== undefined && { error: failure }),
  })
  return `${webUrl}${page}?${query}`
}

function leadBack(location: string): Response {
  const headers = { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
  return new Response(null, { status: 303, headers })
}
