import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** The traffic of an agent's containers by day. In the index if it exceeded its plan on a day. */
export const trafficRows = entity({
  name: 'traffic of an agent',
  pk: 'user#{userId}',
  sk: 'traffic#{agentId}',
  gsi1: { pk: 'heavy-traffic#{date}', sk: '{agentId}' },
  schema: () =>
    z.object({
      agentId: z.string(),
      userId: z.string().nullable(),
      /** The generation of the next two counters, which start at 0 in each container. */
      generation: z.number(),
      sent: z.number(),
      printed: z.number(),
      /** The last 31 days with traffic, in UTC, oldest first. */
      days: z.array(
        z.object({
          date: z.string(),
          /** Null if the container did not report it. */
          sentBytes: z.number().nullable(),
          printedBytes: z.number().nullable(),
        }),
      ),
      /** The last day when the agent sent more than its plan includes. */
      heavyOn: z.string().optional(),
      /** The last day with a mail to the owner. */
      mailedOn: z.string().optional(),
    }),
})

export type TrafficRow = ReturnType<typeof trafficRows.parse>

/** Returns the index partition of the agents that sent too much on a day (UTC). */
export function heavyPartition(date: string): string {
  return `heavy-traffic#${date}`
}
