import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import type { Approval } from '../approval.ts'
import { approvalRows, approvalsDue } from '../rows.ts'
import { approvals } from '../topic.ts'

/** Longer than a request to another host takes (two minutes). */
const leaseMs = 150_000

type Held = Pick<Approval, 'id' | 'userId' | 'attempts'>

/** The expiry and the execution of an approval. */
export const approvalWork = workItems({
  rows: approvalRows,
  key: ({ userId, id: approvalId }: Held) => approvalRows.key({ userId, approvalId }),
  id: ({ id }) => id,
  due: approvalsDue,
  fence: counter('attempts', ({ attempts }: Held) => attempts),
  topic: approvals,
  message: ({ userId, id: approvalId, attempts }) => ({
    userId,
    approvalId,
    attempt: attempts + 1,
  }),
  leaseMs,
  lostMs: 30_000,
  // A minute, the interval of the tick, less its jitter.
  resendMs: 50_000,
})
