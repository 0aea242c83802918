import { type Agent, liveTasks } from '../agent.ts'
import type { ProvisioningContext } from './context.ts'
import type { StartMessage } from './schema.ts'

/**
 * Stops what an earlier delivery of an overtaken start may have left: a task that was started and never noted, because
 * its process died in between. Its events tell of it, too, unless they are lost.
 */
export async function stopStrays(
  { containers }: Pick<ProvisioningContext, 'containers'>,
  { agentId, generation }: StartMessage,
  agent: Agent | undefined,
): Promise<void> {
  if (agent?.generation === generation && agent.desired === 'running' && !agent.deleting) return
  const known = new Set(agent === undefined ? [] : liveTasks(agent))
  for (const arn of await containers.list(agentId)) {
    if (known.has(arn)) continue
    const task = await containers.describe(arn)
    if (task?.generation === generation) await containers.stop(arn, 'Not wanted any more')
  }
}
