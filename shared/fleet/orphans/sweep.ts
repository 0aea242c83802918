import { idPrefixes } from '../../manifest/ids.ts'
import type { TaskPages } from '../../platform/containers/all-tasks.ts'
import type { Task } from '../../platform/containers/port.ts'
import type { Log } from '../../platform/log.ts'
import type { Queues } from '../../platform/queues/port.ts'
import type { Table } from '../../platform/table/port.ts'
import { sendStop } from '../provisioning/messages.ts'
import { isUp } from '../tasks/observe.ts'
import { suspectRows } from './rows.ts'
import { warmIdOf } from '../warm-pool/observe.ts'
import { type Unwanted, unwantedOf } from './unwanted.ts'

export interface SweepContext {
  table: Table
  queues: Queues<'provisioning'>
  tasks: TaskPages
  log: Log
}

export interface Sweep {
  /** How many tasks of agents are up. */
  tasks: number
  /** How many of them no row wanted in two rounds. */
  orphans: number
  /** How many of those were asked to stop: all, or none where nearly the whole fleet would be. */
  stopped: number
  /** How many were seen so for the first time. */
  suspects: number
}

/** A task this young may still be on its way into its agent's row: a start that is tried again notes it after minutes. */
const startMs = 15 * 60_000

/** Two rounds lie further apart than this; a round that comes twice at once is one. */
const roundMs = 30 * 60_000

/** How long a suspicion is kept, in seconds: the second round finds it, also where one round in between failed. */
const keptSeconds = 3 * 3600

/** So many tasks at least are a fleet. Below it one deletion may well leave more orphans than agents. */
const fleetTasks = 10

/**
 * Stops tasks that no agent's row wants, which no event and no tick finds: the watchdog asks for rows, and these have none.
 * They come from a table that was put back to an earlier time. A task is stopped when it was seen so in two rounds and
 * is older than a start may take, so that none is stopped that only begins. Where most of a fleet were stopped, none is,
 * and its alarm calls an operator: the functions then more likely read a wrong table than a right one that lost its agents.
 */
export async function sweepOrphans(ctx: SweepContext, now = Date.now()): Promise<Sweep> {
  const sweep = { tasks: 0, orphans: 0, stopped: 0, suspects: 0 }
  const orphans: Unwanted[] = []
  for await (const page of ctx.tasks()) {
    const ofAgents = page.filter(isOfAgent).filter(({ status }) => isUp(status))
    sweep.tasks += ofAgents.length
    const unwanted = await unwantedOf(
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

/** Those that an earlier round found, too; the others are noted for the next one. */
async function seenBefore(table: Table, found: Unwanted[], now: number): Promise<Unwanted[]> {
  const keys = found.map(({ task }) => ({ taskArn: task.arn }))
  const items = await table.getMany(keys.map((key) => suspectRows.key(key)))
  const fresh = keys.filter((_, i) => items[i] === undefined)
  const expiresAt = Math.floor(now / 1000) + keptSeconds
  await Promise.all(fresh.map((key) => table.put(suspectRows.put(key, { seenAt: now, expiresAt }))))
  return found.filter((_, i) => {
    const item = items[i]
    return item !== undefined && suspectRows.parse(item).seenAt <= now - roundMs
  })
}
