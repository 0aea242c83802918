import type * as z from 'zod'
import { costsOf } from '#shared/ai/turns/cost.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newestPage, type ListPage, type PageQuery } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
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

/**
 * Lists the runs of a task in the last 30 days, newest first.
 * @throws PlatformError 404
 */
export async function listTaskRuns(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { taskId, limit, cursor }: PageQuery & { taskId: string },
): Promise<ListPage<z.input<typeof taskRunView>>> {
  const store = userStore(table, owner)
  await requireTask(store, taskId)
  const beginsWith = runRows.prefix({ taskId })
  const { items, next } = await newestPage(store, { beginsWith, limit, cursor })
  const runs = items.map(runRows.parse)
  const costs = await costsOf(
    store,
    runs.map(({ seed }) => seed),
  )
  const views = runs.map((run, i) => {
    return {
      id: runIdOf(run),
      startedAt: run.startedAt ?? null,
      finishedAt: run.endedAt ?? null,
      status: statuses[run.state],
      reply: run.reply ?? null,
      error: run.reason ?? null,
      tokens: run.tokens ?? null,
      costUsd: costs[i] ?? null,
    }
  })
  return { items: views, next }
}
