import type { Agent } from '#shared/agents/record/agent.ts'
import type { Task } from '#shared/platform/containers/port.ts'
import { isUp } from '../states/task-state.ts'
import type { ProvisioningContext } from './context.ts'

/**
 * Returns the Spot task that an earlier delivery of this start began but did not record because its process died, if
 * this delivery must not use Spot. ECS cannot detect that both are one start, because their tokens differ.
 */
export async function findSpotStart(
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
