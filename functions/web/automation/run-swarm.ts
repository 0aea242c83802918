import { runSwarm as run } from '../../../shared/swarms/run.ts'
import { swarmParams, swarmResults, swarmRun } from '../../../shared/swarms/schema.ts'
import { route } from './services.ts'

export const runSwarm = route({
  method: 'POST',
  path: '/api/swarms/:id/run',
  summary: 'Run a prompt on every member of a swarm, side by side',
  tag: 'swarms',
  guard: 'session',
  params: swarmParams,
  body: swarmRun,
  response: swarmResults,
  idempotent: true,
  errors: ['bad-request', 'unauthorized', 'not-found', 'conflict', 'unavailable'],
  handle: (context, { params, body }) => {
    const { actor, request } = context
    return run(
      { ...context, userId: actor.user.id, signal: request.signal },
      params.id,
      body.prompt,
    )
  },
})
