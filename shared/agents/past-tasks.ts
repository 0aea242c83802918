import type * as z from 'zod'
import type { TaskStop } from '../platform/containers/port.ts'
import type { Table, Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { written } from '../platform/table/written.ts'
import { type Agent, ownerOf } from './agent.ts'
import { taskRows } from './rows.ts'

/** A task that an agent has or had: a row in its owner's partition, so that its log is found after it was replaced. */
export type PastTask = z.output<ReturnType<(typeof taskRows)['declared']['schema']>>

/** As long as its log is kept after its end. */
const keptDays = 30

/** One whose end was never seen goes all the same; no container lives for so long. */
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
  return { endedAt: at, exitCode, expiresAt: expiryAfter(keptDays, now) }
}

/** The write that goes with an agent's change from one state to the next: its new task, where it has one. */
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

/** Notes how a task ended. Repeating it changes nothing. */
export async function noteEnd(
  table: Table,
  agent: Owned,
  { arn, generation, stop }: { arn: string; generation: number | undefined; stop: TaskStop },
  now = Date.now(),
): Promise<void> {
  if (generation === undefined) return
  // Nothing is written where it was noted before, or never became the agent's own.
  await written(
    storeOf(table, agent).update(sortKey(agent.id, generation), {
      set: endOf(stop, now),
      if: '#taskArn = :arn AND attribute_not_exists(#endedAt)',
      values: { arn },
    }),
  )
}

/** The task of one start; undefined where it had none or its row is no longer kept. */
export async function pastTask(
  table: Table,
  agent: Owned,
  generation: number,
): Promise<PastTask | undefined> {
  const row = await storeOf(table, agent).get(sortKey(agent.id, generation))
  return row && taskRows.parse(row)
}

/** As many as are kept at hand: of one that is on its way through them, a request serves so many. */
const pageSize = 20

/** The first tasks that an agent had after a start, oldest first, none left out. */
export async function tasksAfter(
  table: Table,
  agent: Owned,
  generation: number,
): Promise<PastTask[]> {
  const { items } = await storeOf(table, agent).query({
    between: [sortKey(agent.id, generation + 1), `${taskRows.prefix({ agentId: agent.id })}~`],
    limit: pageSize,
    // One that is left out would be passed over for good.
    consistent: true,
  })
  return items.map(taskRows.parse)
}

/** The last tasks of an agent, newest first. */
export async function lastTasks(table: Table, agent: Owned, limit: number): Promise<PastTask[]> {
  const { items } = await storeOf(table, agent).query({
    beginsWith: taskRows.prefix({ agentId: agent.id }),
    descending: true,
    limit,
    consistent: true,
  })
  return items.map(taskRows.parse)
}
