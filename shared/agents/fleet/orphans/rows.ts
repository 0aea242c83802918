import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** A task that had no agent's row at the last check. The row expires by itself, so that resolved cases disappear. */
export const suspectRows = entity({
  name: 'task without an agent',
  pk: 'orphan-task#{taskArn}',
  sk: 'seen',
  schema: () =>
    z.object({
      /** Epoch milliseconds of the first round that found it. */
      seenAt: z.number(),
      expiresAt: z.number(),
    }),
})
