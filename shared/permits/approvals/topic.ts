import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/**
 * Requests the next attempt of an approval: to expire it, or to carry it out. Without an approval, requests the mail to
 * its owner. A message of an earlier attempt has no effect.
 */
export const approvals = topic('approvals', () =>
  z.object({ userId: z.string(), approvalId: z.string().optional(), attempt: z.number() }),
)

export type ApprovalWork = MessageOf<typeof approvals>

/** Requests the next attempt to tell an agent the outcome of an approval. */
export const approvalTurns = topic('approval-turns', () =>
  z.object({ userId: z.string(), approvalId: z.string(), attempt: z.number() }),
)

export type ApprovalTurn = MessageOf<typeof approvalTurns>
