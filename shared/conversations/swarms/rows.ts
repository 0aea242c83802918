import { entity } from '#shared/platform/table/entity.ts'
import { swarmView } from './schema.ts'

/** A group of a user’s agents that get the same prompts. */
export const swarmRows = entity({
  name: 'swarm',
  id: 'swm',
  count: 'swarmCount',
  pk: 'user#{userId}',
  sk: 'swarm#{swarmId}',
  schema: () => swarmView,
})
