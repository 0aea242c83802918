import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'

/**
 * A reader’s stream of an agent’s log, renewed while it lives; taking the row away ends the stream, wherever it
 * runs.
 */
export const logStreamRows = entity({
  name: 'log stream',
  pk: 'log-streams',
  sk: '{agentId}#{streamId}',
  schema: () =>
    z.object({
      id: z.string(),
      agentId: z.string(),
      /** Lines sent so far. */
      lines: z.number(),
    }),
})
