import { entity } from '#shared/platform/table/entity.ts'
import { amplification } from './schema.ts'

/** A request of one agent to another to promote a track or URL. Its id is the id of the request message. */
export const amplificationRows = entity({
  name: 'amplification',
  pk: 'amplification#{id}',
  sk: 'amplification',
  schema: () => amplification,
})
