import { changeUsersConfig } from '../../../shared/agents/config/by-user.ts'
import { configAnswers, configQuery, configUpdate } from '../../../shared/agents/config/schema.ts'
import { showConfig } from '../../../shared/agents/config/show.ts'
import { agentParams } from '../../../shared/agents/schema.ts'
import { route } from './services.ts'

export const putConfig = route({
  method: 'PUT',
  path: '/api/agents/:id/config',
  summary:
    "Merge into the config of one of the caller's agents; a container that runs is restarted",
  tag: 'agents',
  guard: 'session',
  params: agentParams,
  query: configQuery,
  body: configUpdate,
  response: configAnswers.updated,
  errors: [
    'bad-request',
    'unauthorized',
    'payment-required',
    'not-found',
    'too-many-requests',
    'unavailable',
  ],
  handle: async (ctx, { params, query, body }) => {
    const { user } = ctx.actor
    const apply = query.apply === 'true'
    const agent = await changeUsersConfig(ctx, user, params.id, body.config, apply)
    return { config: await showConfig(ctx, agent), status: 'updated' as const }
  },
})
