import { userCounter } from '#shared/accounts/users/counter.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { limitedTurnKeyOf, type TurnAuthor } from '#shared/ai/turns/key.ts'
import { limitReached, notFound, type PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { nextRun } from './next-run.ts'
import { taskRows } from './rows.ts'
import type { NewTask } from './schema.ts'
import {
  alongErrors,
  isAccessible,
  type OnlyAgent,
  type ScheduledTask,
  toItem,
  type WritesAlong,
} from './task.ts'

/** The maximum number of scheduled tasks of a user: more than a person can supervise. */
export const taskLimit = 200

/**
 * Creates a task for one of the user's agents. The same seed creates the same task.
 * @throws PlatformError 404 for another user's agent, 409 TASK_LIMIT_REACHED
 */
export async function createTask(
  {
    table,
    owner,
    actor,
    onlyAgent,
    seed,
    along,
  }: Pick<UserContext, 'owner' | 'table' | 'seed'> & TurnAuthor & OnlyAgent & WritesAlong,
  input: NewTask,
): Promise<ScheduledTask> {
  if (!isAccessible(input, { onlyAgent })) throw notFound('Agent')
  const agent = await requireAgent({ table }, { agentId: input.agentId, owner })
  const now = new Date()
  const task: ScheduledTask = {
    ...input,
    id: newId(taskRows.id, seed),
    userId: owner,
    agentId: agent.id,
    lastRun: null,
    lastStatus: null,
    nextRun: input.enabled ? nextRun(input, now) : null,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    revision: 1,
    ...limitedTurnKeyOf({ actor }),
  }
  const existing = await insertCounted(userStore(table, owner), {
    put: toItem(task),
    count: userCounter(owner, taskRows, taskLimit),
    limitReached: taskLimitReached,
    ...(along && { also: along.parts }),
    errors: alongErrors({ along }),
  })
  return existing === undefined ? task : taskRows.parse(existing)
}

/** Returns 409 TASK_LIMIT_REACHED with current and limit. */
export function taskLimitReached(): PlatformError {
  return limitReached('TASK_LIMIT_REACHED', `You have ${taskLimit} scheduled tasks already`, {
    limit: taskLimit,
  })
}
