import { Hono } from 'hono'
import * as z from 'zod'
import { type Agent, complete } from '../chat/complete.ts'
import { readChatRequest } from '../chat/request.ts'
import { errorResponse, wholeResponse } from '../chat/responses.ts'
import { callUpstream, readWhole } from '../chat/upstream.ts'
import { type Env, messagesPath } from '../http/app.ts'
import { readBody } from '../http/input.ts'

/** The OpenAI-compatible routes. */
export function chatRoutes(agent: Agent) {
  const { ai } = agent.settings
  return new Hono<Env>()
    .post(messagesPath, async (c) => {
      const body = await readBody(c, z.looseObject({}))
      const user = body['user'] ?? c.req.header('x-session-id')
      return complete(agent, readChatRequest({ ...body, user }, ai.model), c)
    })
    .get('/v1/models', async (c) => {
      const { requestId, signal } = c.var
      const upstream = await callUpstream(ai, { method: 'GET', path: '/models', requestId, signal })
      if (upstream.status !== 200) return errorResponse(upstream)
      return wholeResponse(upstream, await readWhole(upstream))
    })
}
