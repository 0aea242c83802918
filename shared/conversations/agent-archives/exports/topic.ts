import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** Exports of agents that are too large for a response. */
export const agentExports = topic('agent-exports', () =>
  z.object({ userId: z.string(), agentId: z.string(), exportId: z.string() }),
)

export type ExportMessage = MessageOf<typeof agentExports>
