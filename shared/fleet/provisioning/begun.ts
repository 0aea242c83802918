import type { Agent } from '../../agents/agent.ts'
import type { Task } from '../../platform/containers/port.ts'
import { isUp } from '../tasks/observe.ts'
import type { ProvisioningContext } from './context.ts'

/**
 * The task on spare capacity that another delivery of this start began, and did not note because its process died, where this
 * one is to do without spare capacity: ECS would not know that both are one start, as their tokens differ.
 */
export async function begunOnSpot(
  { containers }: Pick<ProvisioningContext, 'containers'>,
  { id, generation, onDemand }: Agent,
): Promise<Task | undefined> {
  if (onDemand === undefined) return undefined
  for (const arn of await containers.list(id)) {
    const task = await containers.describe(arn)
    if (task?.generation === generation && isUp(task.status)) return task
  }
  return undefined
}
