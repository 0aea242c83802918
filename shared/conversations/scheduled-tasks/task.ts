import type * as z from 'zod'
import { notFound } from '#shared/platform/errors.ts'
import type { Parts, RefusalErrors } from '#shared/platform/table/commit.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Item, Update, Write } from '#shared/platform/table/port.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { schedulesDue, taskRows } from './rows.ts'

export type ScheduledTask = z.output<ReturnType<typeof taskRows.declared.schema>>

/** Returns the row of a task. Only a task with a next run is in the index. */
export function toItem(task: ScheduledTask): Item {
  const { id, userId, nextRun } = task
  const place = nextRun === null ? {} : schedulesDue.at(id, Date.parse(nextRun))
  return taskRows.put({ userId, taskId: id }, task, place)
}

/** The tasks that a caller may access. */
export interface OnlyAgent {
  /** Limits access to the tasks of this agent; absent for all tasks of the owner. */
  onlyAgent?: string | undefined
}

/** Writes in the same transaction as the change of a task. */
export interface WritesAlong {
  along?:
    | { parts: Parts; /** Returns the error if a part was refused. */ refused: () => Error }
    | undefined
}

/** Returns the errors of the parts that are written along. */
export function alongErrors({ along }: WritesAlong): RefusalErrors<Parts> {
  if (along === undefined) return {}
  return Object.fromEntries(Object.keys(along.parts).map((name) => [name, along.refused]))
}

/** Reports whether the caller may access a task. */
export function isAccessible(
  { agentId }: Pick<ScheduledTask, 'agentId'>,
  { onlyAgent }: OnlyAgent,
): boolean {
  return onlyAgent === undefined || agentId === onlyAgent
}

/** Returns a user's task, or undefined if it does not exist. */
export async function findTask(
  store: UserStore,
  taskId: string,
): Promise<ScheduledTask | undefined> {
  const item = await store.get(taskRows.sk({ taskId }))
  return item && taskRows.parse(item)
}

/**
 * Returns a user's task.
 * @throws PlatformError 404
 */
export async function requireTask(store: UserStore, taskId: string): Promise<ScheduledTask> {
  const task = await findTask(store, taskId)
  if (task === undefined) throw notFound('Task')
  return task
}

/** Returns a user's tasks, oldest first. */
export async function everyTask(store: UserStore): Promise<ScheduledTask[]> {
  const tasks = await allItems((from) => store.query({ beginsWith: taskRows.prefix(), ...from }))
  return tasks.map(taskRows.parse)
}

/** Returns the update of a task, on condition that it has not changed. */
export function updateOf(before: ScheduledTask, after: ScheduledTask): Update & { if: string } {
  const { id: _id, userId: _userId, activeRun, catchingUp, key, keyLimits, ...rest } = after
  const place =
    after.nextRun === null ? undefined : schedulesDue.at(after.id, Date.parse(after.nextRun))
  return {
    set: {
      ...rest,
      ...place,
      ...(activeRun !== undefined && { activeRun }),
      ...(catchingUp !== undefined && { catchingUp }),
      ...(key !== undefined && { key }),
      ...(keyLimits !== undefined && { keyLimits }),
    },
    remove: [
      ...(place === undefined ? ['gsi1pk', 'gsi1sk'] : []),
      ...(activeRun === undefined ? ['activeRun'] : []),
      ...(catchingUp === undefined ? ['catchingUp'] : []),
      ...(key === undefined ? ['key', 'keyLimits'] : []),
    ],
    if: '#revision = :seen',
    values: { seen: before.revision },
  }
}

/** Returns the update of a task as a write of a transaction. */
export function transition(before: ScheduledTask, after: ScheduledTask): Write {
  const { userId, id: taskId } = before
  return { update: taskRows.key({ userId, taskId }), ...updateOf(before, after) }
}
