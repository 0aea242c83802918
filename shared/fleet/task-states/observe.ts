import { changeAgent } from '../../agents/change.ts'
import type { AgentContext } from '../../agents/context.ts'
import { CapacityUnavailable, type Containers } from '../../platform/containers/port.ts'
import type { Log } from '../../platform/log.ts'
import { applyTask } from '../tasks/apply-event.ts'
import { markTaskLost } from '../tasks/mark-lost.ts'
import { isUp } from '../tasks/observe.ts'
import type { TaskQuestion } from './topic.ts'

export interface TaskStatesContext extends AgentContext {
  containers: Pick<Containers, 'describe'>
  log: Log
}

/**
 * Looks at tasks whose events may have been lost, side by side. Where ECS takes no request now, nothing comes back: the
 * watchdog asks again, ever more rarely, and repeats would only be refused as well.
 * @throws AggregateError of what failed otherwise
 */
export async function observeTasks(
  ctx: TaskStatesContext,
  { tasks }: { tasks: readonly TaskQuestion[] },
): Promise<void> {
  const outcomes = await Promise.allSettled(tasks.map((question) => observeTask(ctx, question)))
  const failures: unknown[] = []
  let refused = 0
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    if (outcome.reason instanceof CapacityUnavailable) refused++
    else failures.push(outcome.reason)
  }
  if (refused > 0) ctx.log.warn('not asked: the cluster takes no request', { tasks: refused })
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${tasks.length} tasks were not seen`)
}

/** Looks at a task: what it shows moves its agent as its events would have. */
export async function observeTask(ctx: TaskStatesContext, question: TaskQuestion): Promise<void> {
  const task = await ctx.containers.describe(question.taskArn)
  if (task === undefined) return markTaskLost(ctx, question)
  const { agent } = await applyTask(ctx, task)
  if (agent === undefined || question.askedAt === undefined || !isUp(task.status)) return undefined
  // How it was before it was asked says nothing of how it is since.
  await changeAgent(ctx, {
    agent,
    decide: (current) =>
      current.taskArn === task.arn ? { ...current, seenUp: question.askedAt } : current,
  })
}
