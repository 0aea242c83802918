import * as z from 'zod'
import { portable } from '#shared/agents/record/config/schema.ts'

export const newSnapshot = z
  .object({
    name: z
      .string()
      .trim()
      .min(1, 'name must not be empty')
      .max(100, 'name must have at most 100 characters')
      .overwrite(portable)
      .nullish(),
  })
  .meta({ id: 'NewSnapshot' })

export const snapshotView = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    createdAt: z.string(),
    bytes: z.number(),
  })
  .meta({ id: 'Snapshot' })

export const snapshotList = z.object({ snapshots: z.array(snapshotView) })

export const restoreRequest = z
  .object({
    snapshotId: z.string({ error: 'snapshotId required' }).min(1, 'snapshotId required').max(64),
  })
  .meta({ id: 'RestoreRequest' })

export const restoreAccepted = z
  .object({ agentId: z.string(), snapshotId: z.string(), status: z.literal('restoring') })
  .meta({ id: 'RestoreAccepted' })
