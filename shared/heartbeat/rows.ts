import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { frequencyNames } from './schema.ts'

/** How often a user wants their installation to be heard of, as far as they have said so. */
export const heartbeatRows = entity({
  name: 'heartbeat settings',
  pk: 'user#{userId}',
  sk: 'heartbeat',
  schema: () =>
    z.object({
      frequency: z.enum(frequencyNames).optional(),
      enabled: z.boolean().optional(),
      lastUpdated: z.string().optional(),
    }),
})
