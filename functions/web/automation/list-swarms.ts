import { listSwarms as list } from '../../../shared/swarms/list.ts'
import { swarmList } from '../../../shared/swarms/schema.ts'
import { route } from './services.ts'

export const listSwarms = route({
  method: 'GET',
  path: '/api/swarms',
  summary: 'The caller’s swarms, oldest first',
  tag: 'swarms',
  guard: 'session',
  response: swarmList,
  errors: ['unauthorized'],
  handle: async ({ table, actor }) => {
    const swarms = await list(table, actor.user.id)
    return { swarms, count: swarms.length }
  },
})
