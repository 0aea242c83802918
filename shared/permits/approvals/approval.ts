import type * as z from 'zod'
import type { Context } from '#shared/platform/identity/context.ts'
import { type Parts, tryCommit } from '#shared/platform/table/commit.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import {
  approvalRows,
  approvalsDue,
  approvalTurnRows,
  approvalTurnsDue,
  pendingCountRows,
  waitingRequestRows,
} from './rows.ts'

export type Approval = z.output<ReturnType<typeof approvalRows.declared.schema>>

/** The outcome of an effect; of a failed one, only `error`. */
export type ApprovalResult = NonNullable<Approval['result']>

/** The time for a decision, in milliseconds: contract.md 17. */
export const decisionMs = 24 * 3_600_000

const retentionDays = 30

/** Returns when an approval and its request expire in the table, in epoch seconds. */
export function expiryOf(createdAt: number): number {
  return epochSeconds(createdAt) + retentionDays * 86_400
}

/** Returns whether an approval can still be decided. @param now epoch milliseconds */
export function isOpen({ state, until }: Approval, now: number): boolean {
  return state === 'pending' && until > isoOf(now)
}

/** Returns an approval of a user, or undefined if it does not exist. */
export async function findApproval(
  { table }: Pick<Context, 'table'>,
  ref: { userId: string; approvalId: string },
): Promise<Approval | undefined> {
  return approvalRows.find(table, ref)
}

/** The end of a wait, and when the next attempt is due, in epoch milliseconds; without one, the approval has ended. */
export type WaitEnd = Pick<Approval, 'state'> &
  Partial<Pick<Approval, 'decidedAt' | 'decidedBy' | 'note' | 'result'>> & { due?: number }

/**
 * Returns the parts that end the wait of a pending approval, on condition that it has not changed. The part `approval`
 * is refused if it has. The part `count` is refused if the agent's rows were deleted.
 */
export function endWaitParts(approval: Approval, { due, ...change }: WaitEnd) {
  const { id: approvalId, userId, agentId, digest, attempts } = approval
  const index = due === undefined ? undefined : approvalsDue.at(approvalId, due)
  return {
    approval: {
      update: approvalRows.key({ userId, approvalId }),
      set: { ...change, ...index },
      ...(index === undefined && { remove: ['gsi1pk', 'gsi1sk'] }),
      // A process that holds the lease can no longer write.
      add: { attempts: 1 },
      if: '#state = :pending AND #attempts = :attempts',
      values: { pending: 'pending', attempts },
    },
    count: {
      update: pendingCountRows.key({ userId, agentId }),
      add: { count: -1 },
      if: 'attribute_exists(pk)',
    },
    waiting: { delete: waitingRequestRows.key({ userId, agentId, digest }) },
  } satisfies Parts
}

/**
 * Commits the end of a wait. If the agent's rows were deleted, commits it without the part `count`.
 * @returns false if the approval or another part has changed in the meantime
 */
export async function commitEnd(
  { table }: Pick<Context, 'table'>,
  { count, ...rest }: Parts & ReturnType<typeof endWaitParts>,
): Promise<boolean> {
  const refusals = await tryCommit(table, { ...rest, count })
  if (refusals === undefined) return true
  if (refusals.approval !== undefined || refusals.count === undefined) return false
  return (await tryCommit(table, rest)) === undefined
}

/** Returns the part that requests the agent’s turn about the outcome. @param now epoch milliseconds */
export function turnParts({ id: approvalId, userId, agentId }: Approval, now: number) {
  const turn = { userId, approvalId, agentId, attempts: 0, createdAt: isoOf(now) }
  return {
    turn: {
      put: approvalTurnRows.put(turn, turn, approvalTurnsDue.at(approvalId, now)),
    },
  } satisfies Parts
}
