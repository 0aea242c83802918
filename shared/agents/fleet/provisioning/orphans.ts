import { type Agent, liveTasks } from '#shared/agents/record/agent.ts'
import type { StartMessage } from '../requests/topic.ts'
import type { ProvisioningContext } from './context.ts'

/**
 * Stops the tasks that an earlier delivery of an obsolete start began but never recorded, because its process died in
 * between. Their events would also reveal them, but can be lost.
 */
export async function stopOrphans(
  { containers }: Pick<ProvisioningContext, 'containers'>,
  { agentId, generation }: StartMessage,
  agent: Agent | undefined,
): Promise<void> {
  if (agent?.generation === generation && agent.desired === 'running' && !agent.deleting) return
  const known = new Set(agent === undefined ? [] : liveTasks(agent))
  for (const arn of await containers.list(agentId)) {
    if (known.has(arn)) continue
    const task = await containers.describe(arn)
    if (task?.generation === generation) await containers.stop(arn, 'No longer needed')
  }
}
