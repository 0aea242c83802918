import { createSwarm as create } from '../../../shared/swarms/create.ts'
import { newSwarm, swarmView } from '../../../shared/swarms/schema.ts'
import { route } from './services.ts'

export const createSwarm = route({
  method: 'POST',
  path: '/api/swarms',
  summary: 'Make a swarm of the caller’s own agents',
  tag: 'swarms',
  guard: 'session',
  body: newSwarm,
  status: 201,
  response: swarmView,
  idempotent: true,
  errors: ['bad-request', 'unauthorized', 'not-found', 'conflict'],
  handle: ({ table, actor, seed }, { body }) => create(table, actor.user.id, body, seed),
})
