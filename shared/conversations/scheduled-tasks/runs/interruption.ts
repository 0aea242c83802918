import type { Agent } from '#shared/agents/record/agent.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { turnRows } from '#shared/ai/turns/rows.ts'
import { aliveMs } from '#shared/ai/turns/turn.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { runRows, startedDue } from '../rows.ts'
import { lookMs, type Run, runSeconds } from './run.ts'

const interrupted = 'it was interrupted'

/**
 * Returns the reason why a started run can no longer end by itself: its job's process or its agent's container has
 * ended. Undefined while it can end. The run's turn contains the heartbeat of the process; a run without a turn has not
 * reached its agent yet.
 */
export async function interruptionOf(
  { table }: Pick<Context, 'table'>,
  { run, now }: { run: Run; now: number },
): Promise<string | undefined> {
  const { userId, seed } = run
  const startedAt = Date.parse(run.startedAt ?? run.due)
  const item = await userStore(table, userId).get(turnRows.sk({ name: seed.toLowerCase() }))
  const turn = item && turnRows.parse(item)
  // The turn may come from an earlier attempt that did not reach its agent.
  if (turn === undefined || Date.parse(turn.startedAt) < startedAt)
    return now - startedAt > runSeconds * 1000 ? interrupted : undefined
  if (turn.state !== 'active') {
    const endedAt = Date.parse(turn.endedAt ?? turn.startedAt)
    return now - endedAt > aliveMs ? interrupted : undefined
  }
  if (turn.aliveUntil <= now) return interrupted
  const agent = await findAgent({ table }, { agentId: turn.agentId, owner: userId })
  if (agent === undefined) return 'the agent was deleted'
  return hasEnded(agent, turn.generation) ? 'the agent ended during the run' : undefined
}

/**
 * Returns whether the container of a generation has ended. A container that receives a stop request finishes its
 * answers first.
 */
function hasEnded(
  { generation: current, taskStatus, previousTaskArn }: Agent,
  generation: number | undefined,
): boolean {
  if (generation === undefined || generation > current) return false
  return generation === current ? taskStatus === 'STOPPED' : previousTaskArn === undefined
}

/** Makes the tick check a started run again later. */
export async function checkAgainLater(
  { table }: Pick<Context, 'table'>,
  { run, now }: { run: Run; now: number },
): Promise<void> {
  await tryWrite(
    table.update(runRows.key(run), {
      set: startedDue.at(run.taskId, now + lookMs),
      if: '#state = :started AND #startedAt = :at',
      values: { started: 'started', at: run.startedAt },
    }),
  )
}
