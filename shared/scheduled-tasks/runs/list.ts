import type * as z from 'zod'
import type { UserContext } from '../../identity/context.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { runRows } from '../rows.ts'
import type { taskRunView } from '../schema.ts'
import { requireTask } from '../task.ts'
import { runIdOf } from './run-id.ts'

const statuses = {
  waiting: 'queued',
  started: 'active',
  ok: 'finished',
  failed: 'failed',
  cancelled: 'cancelled',
} as const

/** The last runs of a task, newest first, of 30 days at most. @throws PlatformError 404 */
export async function listTaskRuns(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { taskId, limit }: { taskId: string; limit: number },
): Promise<z.input<typeof taskRunView>[]> {
  const store = userStore(table, actor.user.id)
  await requireTask(store, taskId)
  if (limit === 0) return []
  const beginsWith = runRows.prefix({ taskId })
  const { items } = await store.query({ beginsWith, descending: true, limit })
  return items.map((item) => {
    const run = runRows.parse(item)
    return {
      id: runIdOf(run),
      startedAt: run.startedAt ?? null,
      finishedAt: run.endedAt ?? null,
      status: statuses[run.state],
      reply: run.reply ?? null,
      error: run.reason ?? null,
      tokens: run.tokens ?? null,
      // No call of a model names its run.
      costUsd: null,
    }
  })
}
