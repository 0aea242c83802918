import * as z from 'zod'
import { entity } from '../../platform/table/entity.ts'

/** A task that no agent’s row wanted when it was looked at; it goes by itself, so that what was mended is forgotten. */
export const suspectRows = entity({
  name: 'task without an agent',
  pk: 'orphan-task#{taskArn}',
  sk: 'seen',
  schema: () =>
    z.object({
      /** Epoch milliseconds of the first round that found it so. */
      seenAt: z.number(),
      expiresAt: z.number(),
    }),
})
