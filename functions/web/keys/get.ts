import { getKey as get } from '../../../shared/keys/get.ts'
import { keyParams, shownKey } from '../../../shared/keys/schema.ts'
import { route } from './services.ts'

export const getKey = route({
  method: 'GET',
  path: '/api/keys/:id',
  summary: 'One of the caller’s API keys',
  tag: 'keys',
  guard: 'session',
  params: keyParams,
  response: shownKey,
  errors: ['unauthorized', 'not-found'],
  handle: ({ table, actor }, { params }) => get(table, actor.user.id, params.id),
})
