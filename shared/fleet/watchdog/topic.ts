import * as z from 'zod'
import { topic } from '../../platform/queues/topic.ts'

/** Says that an agent's next step is due. One whose `dueAt` is no longer the row's is a repeat, or too late. */
const check = () =>
  z.object({ userId: z.string().nullable(), agentId: z.string(), dueAt: z.number().nullable() })

/** What the checks queue carries. */
export const checkMessage = () => z.object({ agents: z.array(check()).min(1).max(100) })

export type Check = z.output<ReturnType<typeof check>>
export type CheckMessage = z.output<ReturnType<typeof checkMessage>>

export const checks = topic<CheckMessage>('checks')
