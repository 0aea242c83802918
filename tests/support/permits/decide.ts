import * as approvalsJob from '#functions/jobs/approvals.ts'
import { decideApproval } from '#shared/permits/approvals/decide.ts'
import { showApproval } from '#shared/permits/approvals/find.ts'
import type { ApprovalView } from '#shared/permits/approvals/schema.ts'
import { approvals, type ApprovalWork } from '#shared/permits/approvals/topic.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newSeed } from '#shared/platform/ids.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userContext } from '../platform/context.ts'
import { settingsOf } from '../platform/table.ts'

export interface Decided {
  approval: ApprovalView
  /** Delivers the messages of the decision again. */
  again(): Promise<void>
}

/**
 * Decides an approval as its user, and carries it out by the job of functions/jobs/approvals.ts.
 * @param settings environment variables of the job
 */
export async function decideAndCarryOut(
  table: Table,
  {
    userId,
    approvalId: id,
    decision,
    settings,
  }: {
    userId: string
    approvalId: string
    decision: 'approve' | 'deny'
    settings: Record<string, string>
  },
): Promise<Decided> {
  const sent: ApprovalWork[] = []
  const queues: Queues = {
    send: async ({ queue }, body) => void (queue === approvals.queue && sent.push(body as never)),
    sendAll: async () => {},
  }
  const ctx = await userContext(table, userId)
  await decideApproval({ ...ctx, queues }, { id, decision })
  const { services } = approvalsJob.wire(loadConfig({ ...settings, ...settingsOf(table) }))
  const { log, requestId } = ctx
  const actor = { type: 'platform', askedBy: `user:${userId}` } as const
  const again = async () => {
    for (const message of sent)
      await approvalsJob.job.handle(
        { ...services, queues, log, requestId, actor, seed: newSeed(), receives: 1 },
        message,
      )
  }
  await again()
  return { approval: await showApproval(ctx, { id }), again }
}
