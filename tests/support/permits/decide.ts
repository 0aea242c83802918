import { vi } from 'vitest'
import * as approvalsJob from '#functions/jobs/approvals.ts'
import { decideApproval } from '#shared/permits/approvals/decide.ts'
import { showApproval } from '#shared/permits/approvals/find.ts'
import type { ApprovalView } from '#shared/permits/approvals/schema.ts'
import { approvals, type ApprovalWork } from '#shared/permits/approvals/topic.ts'
import { approvalWork } from '#shared/permits/approvals/work/items.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newSeed } from '#shared/platform/ids.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userContext } from '../platform/context.ts'
import { Killed, killedProcess } from '../platform/killed-process.ts'
import { settingsOf } from '../platform/table.ts'

/** Longer than the lease of a process, in milliseconds. */
const expiredMs = 400_000

/** The ticks that an approval may need. */
const rounds = 5

export interface Decided {
  approval: ApprovalView
  /** Delivers the messages of the decision again. */
  again(): Promise<void>
  /** True if the process was killed. */
  isKilled: boolean
  /** Lets later ticks request what is left, after the lease of a killed process has expired. */
  later(): Promise<ApprovalView>
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
    death,
  }: {
    userId: string
    approvalId: string
    decision: 'approve' | 'deny'
    settings: Record<string, string>
    /** Kills the process that carries it out. */
    death?: Parameters<typeof killedProcess>[0]
  },
): Promise<Decided> {
  const sent: ApprovalWork[] = []
  const queues: Queues = {
    send: async (topic, body) => queues.sendAll(topic, [body]),
    sendAll: async ({ queue }, bodies) =>
      void (queue === approvals.queue && sent.push(...(bodies as never[]))),
  }
  const ctx = await userContext(table, userId)
  await decideApproval({ ...ctx, queues }, { id, decision })
  const { services } = approvalsJob.wire(loadConfig({ ...settings, ...settingsOf(table) }))
  const { log, requestId } = ctx
  const actor = { type: 'platform', askedBy: `user:${userId}` } as const
  const run = async (process?: ReturnType<typeof killedProcess>) => {
    const reached = process?.reach(services.table) ?? services.table
    const by = process?.reach(queues) ?? queues
    for (const message of sent.slice())
      await approvalsJob.job.handle(
        {
          ...services,
          table: reached,
          queues: by,
          log,
          requestId,
          actor,
          seed: newSeed(),
          receives: 1,
        },
        message,
      )
  }
  const process = death && killedProcess(death)
  await run(process).catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error
  })
  return {
    approval: await showApproval(ctx, { id }),
    again: () => run(),
    isKilled: process?.isKilled() === true,
    async later() {
      vi.useFakeTimers({ toFake: ['Date'] })
      try {
        for (let round = 0; ; round++) {
          const seen = await showApproval(ctx, { id })
          if (seen.state !== 'approved' || round === rounds) return seen
          vi.advanceTimersByTime(expiredMs)
          await approvalWork.tick({ table, queues })
          await run()
        }
      } finally {
        vi.useRealTimers()
      }
    },
  }
}
