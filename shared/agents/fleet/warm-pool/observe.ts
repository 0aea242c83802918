import type { Task, TaskStop } from '#shared/platform/containers/port.ts'
import { idPattern } from '#shared/platform/ids.ts'
import { type ItemChange, changeItem } from '#shared/platform/table/change-item.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { isHostLost, isHostRefusal } from '../states/host-failure.ts'
import { startMs } from './ready.ts'
import { type WarmContainer, warmRows } from './rows.ts'

const warmId = new RegExp(`^${idPattern(warmRows.id)}$`)

/** Returns the pool container of a task. Undefined for a task that was started for an agent. */
export function warmIdOf({ startedBy }: Pick<Task, 'startedBy'>): string | undefined {
  return startedBy !== undefined && warmId.test(startedBy) ? startedBy : undefined
}

/**
 * Records the state of a waiting container. Late and repeated states change nothing.
 * @returns the container; undefined if it no longer exists
 */
export async function observeWarm(
  table: Table,
  id: string,
  task: Task,
  now = Date.now(),
): Promise<WarmContainer | undefined> {
  let seen: WarmContainer | undefined
  await changeItem({ table, key: warmRows.key({ id }) }, (item) => {
    seen = item && warmRows.parse(item)
    return seen === undefined ? undefined : changeBy(seen, task, now)
  })
  return seen
}

function changeBy(
  container: WarmContainer,
  task: Task,
  now: number,
): ItemChange<Record<never, never>> | undefined {
  const { revision, taskVersion = -1, agent, createdAt } = container
  if (agent !== undefined || task.version <= taskVersion) return undefined
  const unchanged = { if: '#revision = :revision', values: { revision } }
  // A container that failed so early is not replaced for a while, because its replacement would probably fail, too.
  const keepsPlace = now - createdAt < startMs && task.stop !== undefined && isItsFault(task.stop)
  if (task.stop !== undefined && !keepsPlace) return { delete: unchanged }
  const stays = task.status === 'RUNNING' && task.stopCode === undefined
  const address = stays ? task.address : undefined
  return {
    update: {
      set: {
        taskArn: task.arn,
        taskVersion: task.version,
        revision: revision + 1,
        ...(address !== undefined && { address }),
      },
      ...(address === undefined && { remove: ['address'] }),
      ...unchanged,
    },
  }
}

function isItsFault(stop: TaskStop): boolean {
  return stop.code !== 'UserInitiated' && !isHostLost(stop) && !isHostRefusal(stop)
}

/**
 * Returns a pool task as a task of its agent. Its health is left out, because it was measured while the container
 * waited. Undefined while it has no agent.
 */
export function taskOfAgent({ agent }: WarmContainer, task: Task): Task | undefined {
  if (agent === undefined) return undefined
  const { agentId, generation, takenAt } = agent
  const startedAt = task.startedAt && takenAt
  return { ...task, startedBy: agentId, generation, startedAt, health: 'UNKNOWN' }
}

/** Deletes the row of a container whose end its agent has recorded. Repeating it changes nothing. */
export async function deleteWarmRow(table: Table, id: string): Promise<void> {
  await table.delete(warmRows.key({ id }))
}

/** Returns a task as its agent's own, if it came from the pool. Undefined for a pool task without an agent. */
export async function ownTask(table: Table, task: Task): Promise<Task | undefined> {
  const id = warmIdOf(task)
  if (id === undefined) return task
  const item = await table.get(warmRows.key({ id }))
  return item && taskOfAgent(warmRows.parse(item), task)
}
