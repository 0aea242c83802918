import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** A restore to carry out, or a daily restore point to create. */
export const restorePoints = topic('restore-points', () =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('restore'),
      userId: z.string(),
      agentId: z.string(),
      restoreId: z.string(),
    }),
    z.object({
      kind: z.literal('daily'),
      userId: z.string(),
      agentId: z.string(),
      /** In UTC. */
      date: z.string(),
    }),
  ]),
)

type RestorePointMessage = MessageOf<typeof restorePoints>
export type RestoreMessage = Extract<RestorePointMessage, { kind: 'restore' }>
export type DailyMessage = Extract<RestorePointMessage, { kind: 'daily' }>
