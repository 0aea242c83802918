import type * as z from 'zod'
import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { approvalTurnRows, approvalTurnsDue } from '../rows.ts'
import { approvalTurns } from '../topic.ts'

export type Turn = z.output<ReturnType<typeof approvalTurnRows.declared.schema>>

/** Longer than the job can run (`timeoutSeconds` of approval-turns). */
const leaseMs = 330_000

/** The turn that tells an agent the outcome of an approval. */
export const approvalTurnWork = workItems({
  rows: approvalTurnRows,
  key: ({ userId, approvalId }: Turn) => approvalTurnRows.key({ userId, approvalId }),
  id: ({ approvalId }) => approvalId,
  due: approvalTurnsDue,
  fence: counter('attempts', ({ attempts }: Turn) => attempts),
  topic: approvalTurns,
  message: ({ userId, approvalId, attempts }) => ({ userId, approvalId, attempt: attempts + 1 }),
  leaseMs,
  lostMs: 30_000,
  resendMs: 50_000,
})
