import type * as z from 'zod'
import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { approvalMailRows, approvalMailsDue } from '../rows.ts'
import { approvals } from '../topic.ts'

type Mail = z.output<ReturnType<typeof approvalMailRows.declared.schema>>

/** The mail to an owner. */
export const approvalMailWork = workItems({
  rows: approvalMailRows,
  key: ({ userId }: Mail) => approvalMailRows.key({ userId }),
  id: ({ userId }) => userId,
  due: approvalMailsDue,
  fence: counter('attempts', ({ attempts }: Mail) => attempts),
  topic: approvals,
  message: ({ userId, attempts }) => ({ userId, attempt: attempts + 1 }),
  leaseMs: 30_000,
  lostMs: 30_000,
  resendMs: 50_000,
})
