import type { UserContext } from '../identity/context.ts'
import { notFound, PlatformError } from '../platform/errors.ts'
import { userStore } from '../platform/table/user-store.ts'
import { cancelTaskRun } from '../scheduled-tasks/runs/cancel.ts'
import { parseRunId } from '../scheduled-tasks/runs/run-id.ts'
import { cancelWrite } from '../turns/cancel.ts'
import { listRuns } from './list.ts'
import { lastTurns } from './turns.ts'

type CancelContext = Pick<UserContext, 'table' | 'actor'>

/**
 * Has a turn, a run of a task or every turn of a swarm's run end: the process that is at it sees so within a second or
 * two. Asked again, it changes nothing.
 * @throws PlatformError 404 for what is not theirs, 409 RUN_ENDED, 409 NOT_CANCELLABLE for other kinds
 */
export async function cancelRun(
  ctx: CancelContext,
  { id, reason = null }: { id: string; reason?: string | null | undefined },
): Promise<void> {
  const store = userStore(ctx.table, ctx.actor.user.id)
  const ref = parseRunId(id)
  if (ref !== undefined) {
    if (!(await cancelTaskRun(ctx, { userId: store.userId, ...ref, reason }))) throw ended()
    return
  }
  const turns = (await lastTurns(store)).filter((turn) => (turn.group ?? turn.id) === id)
  if (turns.length === 0) throw await otherKind(ctx, id)
  const active = turns.filter(({ state }) => state === 'active')
  if (active.length === 0) throw ended()
  await store.transact(active.map((turn) => cancelWrite(store, turn.id, reason)))
}

async function otherKind(ctx: CancelContext, id: string): Promise<PlatformError> {
  const run = (await listRuns(ctx, {})).find((each) => each.id === id)
  if (run === undefined) return notFound('Run')
  if (run.state !== 'active' && run.state !== 'queued') return ended()
  return new PlatformError('conflict', `A ${run.kind} cannot be cancelled`, {
    code: 'NOT_CANCELLABLE',
  })
}

function ended(): PlatformError {
  return new PlatformError('conflict', 'The run has ended', { code: 'RUN_ENDED' })
}
