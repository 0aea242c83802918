import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** A notice, with an id to detect repeats. */
export const notices = topic('notices', () => z.object({ id: z.string(), notice: notice() }))

/** A watchdog notice in the form of the team webhook: contract.md 8. `text` and `content` are the same sentence. */
function notice() {
  return z.object({
    kind: z.enum(['degraded', 'crash_loop', 'repair_started', 'repaired', 'repair_failed']),
    agentId: z.string(),
    agentName: z.string(),
    cause: z.string(),
    attempt: z.number(),
    at: z.string(),
    text: z.string(),
    content: z.string(),
  })
}

export type NoticeMessage = MessageOf<typeof notices>
export type Notice = NoticeMessage['notice']

/** The watchdog's step with an agent, as in its incidents. */
export type NoticeStep = 'detected' | 'restart' | 'healthy_config' | 'healthy_image' | 'crash_loop'
