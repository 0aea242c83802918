import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { frequencyNames } from './schema.ts'

/** The heartbeat settings that a user has set. */
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
