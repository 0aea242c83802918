import * as z from 'zod'
import { type MessageOf, topic } from '../platform/queues/topic.ts'

/** That a video has something to be done for it, and the turn that is to do it: a message of an earlier turn does nothing. */
export const videos = topic('videos', () =>
  z.object({ userId: z.string(), jobId: z.string(), turn: z.number() }),
)

export type VideoTurn = MessageOf<typeof videos>
