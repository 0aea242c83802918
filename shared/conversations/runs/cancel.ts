import { stopStart } from '#shared/agents/fleet/lifecycle/stop.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { parseStartRunId } from '#shared/agents/record/start-run-id.ts'
import { cancelWrite } from '#shared/ai/turns/cancel.ts'
import { notFound, PlatformError, scopeRequired } from '#shared/platform/errors.ts'
import { allows } from '#shared/platform/identity/actor.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { idPattern } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { cancelVideo } from '#shared/tools/videos/cancel.ts'
import { videoRows } from '#shared/tools/videos/rows.ts'
import { cancelTaskRun } from '../scheduled-tasks/runs/cancel.ts'
import { parseRunId } from '../scheduled-tasks/runs/run-id.ts'
import { listRuns } from './list.ts'
import { lastTurns } from './turns.ts'

interface RunToCancel {
  id: string
  reason: string | null
}

const videoId = new RegExp(`^${idPattern(videoRows.id)}$`)

/**
 * Cancels a turn, a task's run or every turn of a swarm's run: its process detects the cancellation within two seconds.
 * A start is cancelled by stopping its agent; a video is cancelled if its order has not been sent. A repeated request
 * changes nothing.
 * @throws PlatformError 404 for another user's run, 409 RUN_ENDED, 409 NOT_CANCELLABLE for a run that cannot be
 * cancelled, 403 SCOPE_REQUIRED for a start or a video if the key does not have the scope `write`
 */
export async function cancelRun(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'> & Parameters<typeof stopStart>[0],
  { id, reason = null }: { id: string; reason?: string | null | undefined },
): Promise<void> {
  if (!(await cancelled(ctx, { id, reason })))
    throw new PlatformError('conflict', 'The run has ended', { code: 'RUN_ENDED' })
}

/** @returns false if it has ended */
async function cancelled(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'> & Parameters<typeof stopStart>[0],
  run: RunToCancel,
): Promise<boolean> {
  const { id, reason } = run
  const store = userStore(ctx.table, ctx.owner)
  const task = parseRunId(id)
  if (task !== undefined) return cancelTaskRun(ctx, { userId: store.userId, ...task, reason })
  const start = parseStartRunId(id)
  if (start !== undefined) return cancelStart(ctx, { ...start, reason })
  if (videoId.test(id)) {
    requireWriting(ctx)
    return cancelVideo(ctx, { jobId: id, reason })
  }
  const turns = (await lastTurns(store)).filter((turn) => (turn.group ?? turn.id) === id)
  if (turns.length === 0) return refuseOther(ctx, id)
  const active = turns.filter(({ state }) => state === 'active')
  if (active.length > 0)
    await store.transact(active.map((turn) => cancelWrite(store, turn.id, reason)))
  return active.length > 0
}

async function cancelStart(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'> & Parameters<typeof stopStart>[0],
  { agentId, generation, reason }: { agentId: string; generation: number; reason: string | null },
): Promise<boolean> {
  requireWriting(ctx)
  const agent = await findAgent(ctx, { agentId, owner: ctx.owner })
  if (agent === undefined || generation > agent.generation) throw notFound('Run')
  return stopStart(ctx, { agent, start: generation, reason })
}

/**
 * Requires the scope `write`: the route accepts keys with the scope `chat`, which cannot start agents or videos and
 * must not cancel them either.
 */
function requireWriting({
  actor,
}: Pick<UserContext, 'actor' | 'owner' | 'table'> & Parameters<typeof stopStart>[0]): void {
  if (actor.via === 'key' && !allows(actor.user.scopes, 'write', 'POST'))
    throw scopeRequired('write')
}

async function refuseOther(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'> & Parameters<typeof stopStart>[0],
  id: string,
): Promise<false> {
  const run = (await listRuns(ctx, {})).find((each) => each.id === id)
  if (run === undefined) throw notFound('Run')
  if (run.state !== 'active' && run.state !== 'queued') return false
  const message =
    'A split cannot be cancelled, because its payments may already be sent. GET /api/runs shows when it has ended'
  throw new PlatformError('conflict', message, { code: 'NOT_CANCELLABLE' })
}
