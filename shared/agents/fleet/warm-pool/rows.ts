import * as z from 'zod'
import { planSizes } from '#shared/manifest/containers.ts'
import { entity } from '#shared/platform/table/entity.ts'

const plans = planSizes.map(({ plan }) => plan)

/** A container that waits for an agent, or has one. It is in the index only while it waits. */
export const warmRows = entity({
  name: 'warm container',
  id: 'wrm',
  pk: 'warm#{id}',
  sk: 'container',
  gsi1: { pk: 'warm-pool#{plan}', sk: '{id}' },
  schema: () =>
    z.object({
      id: z.string(),
      plan: z.enum(plans),
      image: z.string(),
      /** The SHA-256 of the settings of its task, except the image: settings-hash.ts. */
      madeBy: z.string().optional(),
      /** True if it runs on Spot, so that AWS can reclaim it. */
      spot: z.boolean(),
      /** Epoch milliseconds. */
      createdAt: z.number(),
      revision: z.number(),
      taskArn: z.string().optional(),
      taskVersion: z.number().optional(),
      /** Set while its task runs and is not stopping. */
      address: z.object({ host: z.string(), port: z.number() }).optional(),
      /** SHA-256 of the container's nonce, once it has polled. */
      by: z.string().optional(),
      /** Epoch milliseconds of a poll. Not every poll is recorded. */
      askedAt: z.number().optional(),
      /** The agent of the container: at most one, for one start. */
      agent: z
        .object({
          agentId: z.string(),
          userId: z.string().nullable(),
          generation: z.number(),
          /** ISO 8601. */
          takenAt: z.string(),
        })
        .optional(),
    }),
})

/** Returns the index partition of a plan's waiting containers. */
export function poolPartition(plan: string): string {
  return `warm-pool#${plan}`
}

export type WarmContainer = z.output<ReturnType<(typeof warmRows)['declared']['schema']>>

/** The number of waiting containers per plan, from WARM_CONTAINERS. */
export type PoolSizes = Readonly<Record<string, number | undefined>>
