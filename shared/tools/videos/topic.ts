import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** A video with outstanding work, and the turn that does it. A message of an earlier turn has no effect. */
export const videos = topic('videos', () =>
  z.object({ userId: z.string(), jobId: z.string(), turn: z.number() }),
)

export type VideoTurn = MessageOf<typeof videos>
