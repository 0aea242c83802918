import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import { readAgent } from '../find.ts'
import type { ProvisioningContext } from './context.ts'
import type { StopMessage } from './messages.ts'

/** Stops a task, whatever its agent does by now: it was named because it must end. */
export async function stopTask(ctx: ProvisioningContext, message: StopMessage): Promise<void> {
  const task = await ctx.containers.stop(message.taskArn, 'Stopped by the platform')
  if (task !== undefined) return
  // Nobody remembers it, so no event will tell of its end.
  const agent = await readAgent(ctx.table, message)
  if (agent !== undefined)
    await changeAgent(ctx.table, agent, (current) => forget(current, message.taskArn))
}

function forget(agent: Agent, taskArn: string): Agent {
  if (agent.previousTaskArn === taskArn) return { ...agent, previousTaskArn: undefined }
  if (agent.taskArn !== taskArn || agent.taskStatus === 'STOPPED') return agent
  return { ...agent, taskStatus: 'STOPPED', address: undefined, aiKeyHash: undefined }
}
