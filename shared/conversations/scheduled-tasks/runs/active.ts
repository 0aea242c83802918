import type { UserStore } from '#shared/platform/table/user-store.ts'
import { runRows } from '../rows.ts'
import { everyTask } from '../task.ts'
import { runIdOf } from './run-id.ts'
import type { Run } from './run.ts'

export interface ActiveRun extends Pick<Run, 'state'> {
  id: string
  agentId: string
  startedAt: string | null
  by: string
}

/** Returns the waiting and started runs of a user's tasks, at most one per task. */
export async function activeRuns(store: UserStore): Promise<ActiveRun[]> {
  const tasks = (await everyTask(store)).filter(({ activeRun }) => activeRun !== undefined)
  const found = await Promise.all(
    tasks.map(async ({ id: taskId, agentId, activeRun: due = '' }) => {
      const item = await store.get(runRows.sk({ taskId, due }))
      if (item === undefined) return undefined
      const { state, startedAt = null, by = 'platform' } = runRows.parse(item)
      return { id: runIdOf({ taskId, due }), agentId, state, startedAt, by }
    }),
  )
  return found.filter((run) => run !== undefined)
}
