import { idPrefixes } from '#shared/manifest/ids.ts'
import type { TaskPages } from '#shared/platform/containers/all-tasks.ts'
import type { Task } from '#shared/platform/containers/port.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { sendStop } from '../requests/send.ts'
import { isUp } from '../states/task-state.ts'
import { warmIdOf } from '../warm-pool/observe.ts'
import { type OrphanTask, orphanOf } from './orphan-task.ts'
import { suspectRows } from './rows.ts'

export interface Sweep {
  /** The number of agents' running tasks. */
  tasks: number
  /** The tasks without a row in two rounds. */
  orphans: number
  /** The orphans that were asked to stop: all, or none if this would be nearly the whole fleet. */
  stopped: number
  /** The tasks without a row in this round for the first time. */
  suspects: number
}

/** A younger task may not be in its agent's row yet, because a retried start records it minutes later. */
const startMs = 15 * 60_000

/** The minimum time between two rounds. A round that is delivered twice counts once. */
const roundMs = 30 * 60_000

/** The lifetime of a suspect, in seconds: long enough for the second round, even if one round in between fails. */
const retentionSeconds = 3 * 3600

/**
 * The minimum number of tasks for the check that most of the fleet is not stopped. In a smaller one, a single deletion
 * can leave more orphans than agents.
 */
const fleetTasks = 10

/**
 * Stops tasks without an agent's row. No event or tick finds them, because the watchdog starts from rows. They remain
 * after a restore of the table to an earlier time. A task is stopped if two rounds found it and it is older than a
 * start can take, so that no starting task is stopped. If this would stop most of a fleet, no task is stopped and an
 * alarm calls an operator, because the functions more likely read a wrong table.
 */
export async function sweepOrphans(
  ctx: Pick<Context, 'table' | 'log'> & Sends<'provisioning'> & { tasks: TaskPages },
  now = Date.now(),
): Promise<Sweep> {
  const sweep = { tasks: 0, orphans: 0, stopped: 0, suspects: 0 }
  const orphans: OrphanTask[] = []
  for await (const page of ctx.tasks()) {
    const ofAgents = page.filter(isOfAgent).filter(({ status }) => isUp(status))
    sweep.tasks += ofAgents.length
    const unwanted = await orphanOf(
      ctx.table,
      ofAgents.filter(
        ({ createdAt }) => createdAt !== undefined && Date.parse(createdAt) <= now - startMs,
      ),
    )
    const known = await seenBefore(ctx.table, unwanted, now)
    orphans.push(...known)
    sweep.suspects += unwanted.length - known.length
  }
  sweep.orphans = orphans.length
  if (sweep.tasks >= fleetTasks && orphans.length > sweep.tasks / 2)
    ctx.log.error('most tasks have no agent in this table: none is stopped', { ...sweep })
  else
    for (const { task, ref } of orphans) {
      const { agentId, userId } = ref
      ctx.log.warn('a task without an agent is stopped', { agentId, taskArn: task.arn })
      const named = { id: agentId, userId, generation: task.generation ?? 0 }
      await sendStop(ctx.queues, named, task.arn)
      sweep.stopped++
    }
  ctx.log.info('tasks without agents', sweep, {
    by: [['function']],
    of: { OrphanTasks: [sweep.orphans, 'Count'] },
  })
  return sweep
}

function isOfAgent(task: Task): task is Task & { startedBy: string } {
  return task.startedBy?.startsWith(`${idPrefixes.agent}_`) || warmIdOf(task) !== undefined
}

/** Returns the tasks that an earlier round found, too. Records the others for the next round. */
async function seenBefore(table: Table, found: OrphanTask[], now: number): Promise<OrphanTask[]> {
  const keys = found.map(({ task }) => ({ taskArn: task.arn }))
  const items = await table.getMany(keys.map((key) => suspectRows.key(key)))
  const fresh = keys.filter((_, i) => items[i] === undefined)
  const expiresAt = epochSeconds(now) + retentionSeconds
  await Promise.all(fresh.map((key) => table.put(suspectRows.put(key, { seenAt: now, expiresAt }))))
  return found.filter((_, i) => {
    const item = items[i]
    return item !== undefined && suspectRows.parse(item).seenAt <= now - roundMs
  })
}
