import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import { locateAgent, readAgent } from '#shared/agents/record/find.ts'
import { recordTaskEnd } from '#shared/agents/record/past-tasks.ts'
import { idPrefixes } from '#shared/manifest/ids.ts'
import type { Task } from '#shared/platform/containers/port.ts'
import { ecsTask } from '#shared/platform/containers/task.ts'
import { sendStart, sendStop } from '../requests/send.ts'
import { isUp, applyTaskState, type Observation } from '../states/task-state.ts'
import { deleteWarmRow, observeWarm, taskOfAgent, warmIdOf } from '../warm-pool/observe.ts'
import type { TaskEvent } from './topic.ts'

/** The agent is undefined if the task belongs to no agent or to a deleted one. */
export interface TaskEventOutcome extends Omit<Observation, 'agent' | 'send'> {
  agent: Agent | undefined
}

/** An additional change of the agent with a new task state. Pure, and stored in the same write. */
export type Reaction = (agent: Agent, seen: Observation) => Agent

/**
 * Applies an ECS task state change to its agent. Late, repeated and reordered events change nothing and return `none`.
 * A running task that its agent does not need is asked to stop.
 * @param react called for every change but `none`; its result is stored in the same write. Effects that must survive a
 * crash belong there, because a repeated event returns `none`.
 */
export async function applyTaskEvent(
  ctx: AgentContext,
  event: TaskEvent,
  react?: Reaction,
): Promise<TaskEventOutcome> {
  return applyTask(ctx, taskOf(event), react)
}

/** Applies a task that was read from ECS. */
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
  if (own === undefined) return noAgent
  const outcome = await applyToAgent(ctx, own, react)
  if (task.stop !== undefined) await deleteWarmRow(ctx.table, warmId)
  return outcome
}

const noAgent: TaskEventOutcome = { agent: undefined, change: 'none' }

async function stopUnknown(
  { queues }: AgentContext,
  id: string,
  { status, arn }: Task,
): Promise<TaskEventOutcome> {
  if (isUp(status)) await sendStop(queues, { id, userId: null, generation: 0 }, arn)
  return noAgent
}

async function applyToAgent(
  { table, queues, log }: AgentContext,
  task: Task,
  react: Reaction = (agent) => agent,
): Promise<TaskEventOutcome> {
  const agentId = task.startedBy
  if (agentId === undefined || !agentId.startsWith(`${idPrefixes.agent}_`)) return noAgent
  const ref = await locateAgent(table, agentId)
  const agent = ref && (await readAgent(table, ref))
  if (agent === undefined) return stopUnknown({ table, queues, log }, agentId, task)
  // Written before the agent's row, so that a request that reads the end in the agent's row also finds the exit code.
  if (task.stop !== undefined) await recordTaskEnd(table, agent, { ...task, stop: task.stop })
  let observation: Observation = { agent, change: 'none' }
  const stored = await changeAgent(
    { table, queues, log },
    {
      agent,
      decide: (current) => {
        observation = applyTaskState(current, task)
        return observation.change === 'none'
          ? observation.agent
          : react(observation.agent, observation)
      },
    },
  )
  if (stored === undefined) return noAgent
  if (observation.send === 'stop') await sendStop(queues, stored, task.arn)
  if (observation.send === 'start')
    await sendStart(queues, stored, { delaySeconds: untilRetry(stored) })
  return {
    agent: stored,
    change: observation.change,
    ...(observation.stop !== undefined && { stop: observation.stop }),
  }
}

/** Returns the seconds until the next start. */
function untilRetry({ retryAt = 0 }: Agent): number {
  return Math.max(0, Math.ceil((retryAt - Date.now()) / 1000))
}

/**
 * Returns the task of an event.
 * @throws ZodError
 */
function taskOf(event: TaskEvent): Task {
  return ecsTask.parse(event.detail)
}
