import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/**
 * A reader’s stream of an agent’s log, renewed while it is open. Deleting the row ends the stream, wherever it runs.
 */
export const logStreamRows = entity({
  name: 'log stream',
  pk: 'log-streams',
  sk: '{agentId}#{streamId}',
  schema: () =>
    z.object({
      id: z.string(),
      agentId: z.string(),
      /** The number of sent lines. */
      lines: z.number(),
    }),
})
