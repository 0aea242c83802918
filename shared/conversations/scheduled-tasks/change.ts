import { requireAgent } from '#shared/agents/record/find.ts'
import { limitedTurnKeyOf, type TurnAuthor, type TurnKey } from '#shared/ai/turns/key.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { nextRun } from './next-run.ts'
import { taskRows } from './rows.ts'
import { problemWith, type TaskChange } from './schema.ts'
import {
  alongErrors,
  isAccessible,
  type OnlyAgent,
  type ScheduledTask,
  updateOf,
  type WritesAlong,
} from './task.ts'

/**
 * Updates the given fields of a task. A run that becomes due concurrently is neither lost nor repeated.
 * @throws PlatformError 400 for an invalid schedule, 404 for another user's task or agent
 */
export async function changeTask(
  {
    table,
    owner,
    actor,
    onlyAgent,
    along,
  }: Pick<UserContext, 'owner' | 'table'> & TurnAuthor & OnlyAgent & WritesAlong,
  { taskId, ...changes }: TaskChange,
): Promise<ScheduledTask> {
  if (changes.agentId !== undefined)
    await requireAgent({ table }, { agentId: changes.agentId, owner })
  let after!: ScheduledTask
  const row = userStore(table, owner).row(taskRows.sk({ taskId }))
  const decide = (item: Item | undefined) => {
    if (item === undefined) throw notFound('Task')
    const before = taskRows.parse(item)
    if (!isAccessible(before, { onlyAgent })) throw notFound('Task')
    after = { ...changed(before, changes, new Date()), ...keyAfter(before, { actor }) }
    if (!isAccessible(after, { onlyAgent })) throw notFound('Agent')
    return { update: updateOf(before, after), ...(along && { also: along.parts }) }
  }
  await changeItem<Parts>(row, decide, { errors: alongErrors({ along }) })
  return after
}

/** Returns the key whose limits the runs count against: the user's who changed the task. An agent keeps the key. */
function keyAfter(before: ScheduledTask, author: TurnAuthor): TurnKey {
  const { key, keyLimits } = author.actor?.type === 'user' ? limitedTurnKeyOf(author) : before
  return { key, keyLimits }
}

type TaskChanges = Omit<TaskChange, 'taskId'>

function changed(before: ScheduledTask, changes: TaskChanges, now: Date): ScheduledTask {
  const after: ScheduledTask = { ...before, ...defined(changes), updatedAt: now.toISOString() }
  const problem = problemWith(after)
  if (problem !== undefined) throw new PlatformError('bad-request', problem.message)
  const isDue = before.nextRun !== null && before.nextRun <= now.toISOString()
  const same = before.cronSchedule === after.cronSchedule && before.timezone === after.timezone
  const keeps = before.nextRun !== null && (same || isDue)
  const next = keeps ? before.nextRun : nextRun(after, now)
  return { ...after, nextRun: after.enabled ? next : null, revision: before.revision + 1 }
}

function defined(changes: TaskChanges): Partial<ScheduledTask> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}
