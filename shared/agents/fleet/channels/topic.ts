import * as z from 'zod'
import { topic } from '#shared/platform/queues/topic.ts'

/** Requests to give an agent's channel for Telegram the token of its config. */
export const channelSetUps = topic('channel-set-ups', () =>
  z.object({ userId: z.string(), agentId: z.string() }),
)
