import * as z from 'zod'
import { topic } from '../platform/queues/topic.ts'

/** A watchdog notice as the team webhook gets it: contract.md 8. `text` and `content` are the same sentence. */
const notice = () =>
  z.object({
    kind: z.enum(['degraded', 'crash_loop', 'repair_started', 'repaired', 'repair_failed']),
    agentId: z.string(),
    agentName: z.string(),
    cause: z.string(),
    attempt: z.number(),
    at: z.string(),
    text: z.string(),
    content: z.string(),
  })

/** The same in the queue, with the id by which a repeat is known. */
export const noticeMessage = () => z.object({ id: z.string(), notice: notice() })

/** How far the watchdog has gone with an agent, as its incidents tell. */
export type NoticeStep = 'detected' | 'restart' | 'healthy_config' | 'healthy_image' | 'crash_loop'

export type Notice = z.output<ReturnType<typeof notice>>
export type NoticeMessage = z.output<ReturnType<typeof noticeMessage>>

export const notices = topic<NoticeMessage>('notices')
