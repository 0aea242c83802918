import type * as z from 'zod'
import type { TaskStop } from '#shared/platform/containers/port.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Agent, ownerOf } from './agent.ts'
import { taskRows } from './rows.ts'

/**
 * A current or earlier task of an agent: a row in its owner's partition, so that its log is found after the task was
 * replaced.
 */
export type PastTask = z.output<ReturnType<(typeof taskRows)['declared']['schema']>>

/** The same as the retention of the task's log after its end. */
const retentionDays = 30

/** The expiry of the row of a task whose end was never recorded. No container runs for so long. */
const longestDays = 400

type Owned = Pick<Agent, 'id' | 'userId'>

function sortKey(agentId: string, generation: number): string {
  return taskRows.sk({ agentId, generation: inDigits(generation) })
}

function inDigits(generation: number): string {
  return String(generation).padStart(10, '0')
}

function storeOf(table: Table, agent: Owned) {
  return userStore(table, ownerOf(agent))
}

function expiryAfter(days: number, now: number): number {
  return Math.ceil(now / 1000) + days * 86_400
}

function endOf({ at, exitCode }: TaskStop, now: number) {
  return { endedAt: at, exitCode, expiresAt: expiryAfter(retentionDays, now) }
}

/** Returns the write of the task row for a change of an agent, if it has a new task. */
export function pastWrite(before: Agent, next: Agent, now: number): Write | undefined {
  const { id: agentId, taskArn, generation, taskStatus, stopReason } = next
  if (taskArn === undefined || taskArn === before.taskArn) return undefined
  const key = { userId: ownerOf(next), agentId, generation: inDigits(generation) }
  const end = taskStatus === 'STOPPED' && stopReason !== undefined && endOf(stopReason, now)
  return {
    put: taskRows.put(
      key,
      { taskArn, generation },
      { expiresAt: expiryAfter(longestDays, now), ...end },
    ),
  }
}

/** Records the end of a task. Repeating it changes nothing. */
export async function recordTaskEnd(
  table: Table,
  agent: Owned,
  { arn, generation, stop }: { arn: string; generation: number | undefined; stop: TaskStop },
  now = Date.now(),
): Promise<void> {
  if (generation === undefined) return
  // Nothing is written if it was recorded before, or the task never belonged to the agent.
  await tryWrite(
    storeOf(table, agent).update(sortKey(agent.id, generation), {
      set: endOf(stop, now),
      if: '#taskArn = :arn AND attribute_not_exists(#endedAt)',
      values: { arn },
    }),
  )
}

/** Returns the task of one start. Undefined without one or if its row has expired. */
export async function pastTask(
  table: Table,
  agent: Owned,
  generation: number,
): Promise<PastTask | undefined> {
  const row = await storeOf(table, agent).get(sortKey(agent.id, generation))
  return row && taskRows.parse(row)
}

/** The page size for a client that reads tasks in sequence. */
const pageSize = 20

/** Returns the next tasks of an agent after a start, oldest first, without gaps. */
export async function tasksAfter(
  table: Table,
  agent: Owned,
  generation: number,
): Promise<PastTask[]> {
  const { items } = await storeOf(table, agent).query({
    between: [sortKey(agent.id, generation + 1), `${taskRows.prefix({ agentId: agent.id })}~`],
    limit: pageSize,
    // Strongly consistent, because a task that is missing here would never be read.
    consistent: true,
  })
  return items.map(taskRows.parse)
}

/** Returns the last tasks of an agent, newest first. */
export async function lastTasks(table: Table, agent: Owned, limit: number): Promise<PastTask[]> {
  const { items } = await storeOf(table, agent).query({
    beginsWith: taskRows.prefix({ agentId: agent.id }),
    descending: true,
    limit,
    consistent: true,
  })
  return items.map(taskRows.parse)
}
