import { idPrefixes } from '../../manifest/ids.ts'
import type { Task } from '../../platform/containers/port.ts'
import type { Agent } from '../../agents/agent.ts'
import { changeAgent } from '../../agents/change.ts'
import type { AgentContext } from '../../agents/context.ts'
import { locateAgent, readAgent } from '../../agents/find.ts'
import { sendStart, sendStop } from '../provisioning/messages.ts'
import { forgetWarm, observeWarm, taskOfAgent, warmIdOf } from '../warm-pool/observe.ts'
import { taskOf } from './event.ts'
import { noteEnd } from '../../agents/past-tasks.ts'
import type { TaskEvent } from './topic.ts'
import { isUp, observe, type Observation } from './observe.ts'

/** The agent is undefined for a task of none, or of one that is deleted. */
export interface TaskEventOutcome extends Omit<Observation, 'agent' | 'send'> {
  agent: Agent | undefined
}

/** What else changes of an agent with a new state of its task; pure, and written together with it. */
export type Reaction = (agent: Agent, seen: Observation) => Agent

/**
 * Moves an agent by an ECS task state change. Late, repeated and reordered events change nothing and answer `none`.
 * A live task that its agent does not want is asked to stop.
 *
 * @param react is called for every change but `none`, and its result is stored in the same write: what must not be
 * lost to a crash belongs there, as a repeated event answers `none`
 */
export async function applyTaskEvent(
  ctx: AgentContext,
  event: TaskEvent,
  react?: Reaction,
): Promise<TaskEventOutcome> {
  return applyTask(ctx, taskOf(event), react)
}

/** The same for a task as it was looked at. */
export async function applyTask(
  ctx: AgentContext,
  task: Task,
  react?: Reaction,
): Promise<TaskEventOutcome> {
  const warmId = warmIdOf(task)
  if (warmId === undefined) return applyToAgent(ctx, task, react)
  const container = await observeWarm(ctx.table, warmId, task)
  if (container === undefined) return stopUnknown(ctx, warmId, task)
  const own = taskOfAgent(container, task)
  if (own === undefined) return nobodys
  const outcome = await applyToAgent(ctx, own, react)
  if (task.stop !== undefined) await forgetWarm(ctx.table, warmId)
  return outcome
}

const nobodys: TaskEventOutcome = { agent: undefined, change: 'none' }

async function stopUnknown(
  { queues }: AgentContext,
  id: string,
  { status, arn }: Task,
): Promise<TaskEventOutcome> {
  if (isUp(status)) await sendStop(queues, { id, userId: null, generation: 0 }, arn)
  return nobodys
}

async function applyToAgent(
  { table, queues, log }: AgentContext,
  task: Task,
  react: Reaction = (agent) => agent,
): Promise<TaskEventOutcome> {
  const agentId = task.startedBy
  if (agentId === undefined || !agentId.startsWith(`${idPrefixes.agent}_`)) return nobodys
  const ref = await locateAgent(table, agentId)
  const agent = ref && (await readAgent(table, ref))
  if (agent === undefined) return stopUnknown({ table, queues, log }, agentId, task)
  // Before the agent's own row tells of it: a request that sees the end there finds the exit code.
  if (task.stop !== undefined) await noteEnd(table, agent, { ...task, stop: task.stop })
  let seen: Observation = { agent, change: 'none' }
  const stored = await changeAgent(
    { table, queues, log },
    {
      agent,
      decide: (current) => {
        seen = observe(current, task)
        return seen.change === 'none' ? seen.agent : react(seen.agent, seen)
      },
    },
  )
  if (stored === undefined) return nobodys
  if (seen.send === 'stop') await sendStop(queues, stored, task.arn)
  if (seen.send === 'start') await sendStart(queues, stored, { delaySeconds: untilRetry(stored) })
  return { agent: stored, change: seen.change, ...(seen.stop !== undefined && { stop: seen.stop }) }
}

/** How many seconds the next start has to wait. */
function untilRetry({ retryAt = 0 }: Agent): number {
  return Math.max(0, Math.ceil((retryAt - Date.now()) / 1000))
}
