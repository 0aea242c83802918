import { changeAgent } from '#shared/agents/record/change.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import { CapacityUnavailable, type Containers } from '#shared/platform/containers/port.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { isUp } from '../states/task-state.ts'
import { applyTask } from '../tasks/apply-event.ts'
import { markTaskLost } from '../tasks/mark-lost.ts'
import type { TaskQuestion } from './topic.ts'

/**
 * Gets the states of tasks whose events may be lost, in parallel. If ECS throttles the request, it is not retried: the
 * watchdog repeats it at growing intervals, and earlier retries would be throttled, too.
 * @throws AggregateError of all other failures
 */
export async function observeTasks(
  ctx: Pick<Context, 'log'> & AgentContext & { containers: Pick<Containers, 'describe'> },
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
  if (refused > 0) ctx.log.warn('not observed: the cluster accepts no requests', { tasks: refused })
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      `${failures.length} of ${tasks.length} tasks could not be read`,
    )
}

/** Gets the state of a task and applies it to its agent like an event. */
export async function observeTask(
  ctx: Pick<Context, 'log'> & AgentContext & { containers: Pick<Containers, 'describe'> },
  question: TaskQuestion,
): Promise<void> {
  const task = await ctx.containers.describe(question.taskArn)
  if (task === undefined) return markTaskLost(ctx, question)
  const { agent } = await applyTask(ctx, task)
  if (agent === undefined || question.askedAt === undefined || !isUp(task.status)) return undefined
  // A state that was read before the request may be outdated.
  await changeAgent(ctx, {
    agent,
    decide: (current) =>
      current.taskArn === task.arn ? { ...current, seenUp: question.askedAt } : current,
  })
}
