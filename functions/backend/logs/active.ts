import { activeStreams as active } from '../../../shared/logs/active.ts'
import { activeStreams } from '../../../shared/logs/schema.ts'
import { route } from './services.ts'

export const listActive = route({
  method: 'GET',
  path: '/api/logs/active',
  summary: 'The agents whose logs are being streamed',
  tag: 'logs',
  guard: 'internal',
  response: activeStreams,
  errors: ['unauthorized', 'forbidden'],
  handle: async ({ table, actor }) => ({ streams: await active(table, actor.userId) }),
})
