import type * as z from 'zod'
import { notFound } from '../platform/errors.ts'
import { allItems } from '../platform/table/pages.ts'
import type { Item } from '../platform/table/port.ts'
import { shardOf } from '../platform/table/shard.ts'
import { userPartition, type UserStore } from '../platform/table/user-store.ts'
import type { taskView } from './schema.ts'

/** One scheduled task; every write of it raises `revision`. */
export interface ScheduledTask extends z.output<typeof taskView> {
  userId: string
  revision: number
  /** When the run was due that is under way; the next one waits for its end. */
  activeRun?: string | undefined
}

/** What is due is spread over this many partitions of the index, so that a full minute does not meet in one. */
export const scheduleShards = 16

export function schedulePartition(shard: number): string {
  return `schedules#${shard}`
}

/** The place in the index of what is to be looked at from `at` (ISO 8601) on. */
export function dueIndex(taskId: string, at: string) {
  return { gsi1pk: schedulePartition(shardOf(taskId, scheduleShards)), gsi1sk: `${at}#${taskId}` }
}

const prefix = 'task#'

/** The sort key of a task within its user's partition. */
export function taskSortKey(taskId: string): string {
  return prefix + taskId
}

export function taskKey({ userId, id }: Pick<ScheduledTask, 'userId' | 'id'>) {
  return { pk: userPartition(userId), sk: taskSortKey(id) }
}

/** A task as its row. Only one that is to run has a place in the index. */
export function toItem(task: ScheduledTask): Item {
  const { nextRun } = task
  return { ...task, ...taskKey(task), ...(nextRun !== null && dueIndex(task.id, nextRun)) }
}

/** A row as the task it holds: only this folder writes such rows, so their form is known. */
export function toTask(item: Item): ScheduledTask {
  const { pk: _pk, sk: _sk, gsi1pk: _gsi1pk, gsi1sk: _gsi1sk, ...task } = item
  return task as unknown as ScheduledTask
}

export async function findTask(
  store: UserStore,
  taskId: string,
): Promise<ScheduledTask | undefined> {
  const item = await store.get(taskSortKey(taskId))
  return item && toTask(item)
}

/** @throws PlatformError 404 */
export async function requireTask(store: UserStore, taskId: string): Promise<ScheduledTask> {
  const task = await findTask(store, taskId)
  if (task === undefined) throw notFound('Task')
  return task
}

/** A user's tasks, oldest first. */
export async function everyTask(store: UserStore): Promise<ScheduledTask[]> {
  const tasks = await allItems((from) => store.query({ beginsWith: prefix, ...from }))
  return tasks.map(toTask)
}
