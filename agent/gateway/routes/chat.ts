import { complete } from '../chat/complete.ts'
import type { Agent } from '../chat/complete.ts'
import { passError, passWhole } from '../chat/pass-on.ts'
import { readChatRequest } from '../chat/request.ts'
import { callUpstream, readWhole } from '../chat/upstream.ts'
import { readJson } from '../http/body.ts'
import type { Route } from '../http/router.ts'

/** The OpenAI-compatible routes. */
export function chatRoutes(agent: Agent): Route[] {
  const { ai } = agent.settings
  return [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      handle: async (exchange) => {
        const body = await readJson(exchange.request)
        const chat = readChatRequest(body, exchange.request.headers, ai.model)
        await complete(agent, chat, exchange)
      },
    },
    {
      method: 'GET',
      path: '/v1/models',
      handle: async (exchange) => {
        const { requestId, signal } = exchange
        const upstream = await callUpstream(ai, {
          method: 'GET',
          path: '/models',
          requestId,
          signal,
        })
        if (upstream.status !== 200) return passError(upstream, exchange)
        passWhole(upstream, await readWhole(upstream), exchange)
      },
    },
  ]
}
