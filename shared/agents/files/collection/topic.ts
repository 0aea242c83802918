import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** Requests for a collection of the unused packs of an agent. */
export const fileCollections = topic('file-collections', () =>
  z.object({ userId: z.string(), agentId: z.string() }),
)

export type CollectionMessage = MessageOf<typeof fileCollections>
