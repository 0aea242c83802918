import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'

/** What an agent's containers have sent and printed, day by day. In the index if it was too much on a day. */
export const trafficRows = entity({
  name: 'traffic of an agent',
  pk: 'user#{userId}',
  sk: 'traffic#{agentId}',
  gsi1: { pk: 'heavy-traffic#{date}', sk: '{agentId}' },
  schema: () =>
    z.object({
      agentId: z.string(),
      userId: z.string().nullable(),
      /** Whose counters the next two are: they begin at 0 in each container. */
      generation: z.number(),
      sent: z.number(),
      printed: z.number(),
      /** The last 31 days with traffic, in UTC, oldest first. */
      days: z.array(
        z.object({
          date: z.string(),
          /** Null if the container did not say. */
          sentBytes: z.number().nullable(),
          printedBytes: z.number().nullable(),
        }),
      ),
      /** The last day on which the agent sent more than its plan includes. */
      heavyOn: z.string().optional(),
      /** The last day of which the owner got a mail. */
      mailedOn: z.string().optional(),
    }),
})

export type TrafficRow = ReturnType<typeof trafficRows.parse>

/** The partition of the index with the agents that sent too much on a day (UTC). */
export function heavyPartition(date: string): string {
  return `heavy-traffic#${date}`
}
