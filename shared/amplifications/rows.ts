import { entity } from '../platform/table/entity.ts'
import { amplification } from './schema.ts'

/** What an agent asks another to make known, by the message that asked. */
export const amplificationRows = entity({
  name: 'amplification',
  pk: 'amplification#{id}',
  sk: 'amplification',
  schema: () => amplification,
})
