import * as z from 'zod'
import { planSizes } from '../../manifest/containers.ts'
import { entity } from '../../platform/table/entity.ts'

const plans = planSizes.map(({ plan }) => plan)

/** A container that runs and waits for an agent, or that has one. In the index only while it waits. */
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
      /** SHA-256 of what else its task was made by: made-by.ts. */
      madeBy: z.string().optional(),
      /** Whether AWS may take it back: it runs on spare capacity. */
      spot: z.boolean(),
      /** Epoch milliseconds. */
      createdAt: z.number(),
      revision: z.number(),
      taskArn: z.string().optional(),
      taskVersion: z.number().optional(),
      /** While its task runs and is to go on running. */
      address: z.object({ host: z.string(), port: z.number() }).optional(),
      /** SHA-256 of what the container made up to be known again by, once it has asked for an agent. */
      by: z.string().optional(),
      /** Epoch milliseconds of a question of its, of which not every one is noted. */
      askedAt: z.number().optional(),
      /** Whose it is from then on: a container has one agent at most, for one start of it. */
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

/** The partition of the index that holds the containers of a plan that wait. */
export function poolPartition(plan: string): string {
  return `warm-pool#${plan}`
}

export type WarmContainer = z.output<ReturnType<(typeof warmRows)['declared']['schema']>>

/** The plans' containers that are to wait, by WARM_CONTAINERS. */
export type PoolSizes = Readonly<Record<string, number | undefined>>
