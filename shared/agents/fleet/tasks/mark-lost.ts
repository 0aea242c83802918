import type { Agent, AgentRef } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import { readAgent } from '#shared/agents/record/find.ts'

/** Marks a task that ECS no longer lists as ended. No event about its end will arrive. */
export async function markTaskLost(
  { table }: Pick<AgentContext, 'table'>,
  { taskArn, ...ref }: AgentRef & { taskArn: string },
): Promise<void> {
  const agent = await readAgent(table, ref)
  if (agent !== undefined)
    await changeAgent({ table }, { agent, decide: (current) => withoutTask(current, taskArn) })
}

function withoutTask(agent: Agent, taskArn: string): Agent {
  if (agent.previousTaskArn === taskArn) return { ...agent, previousTaskArn: undefined }
  if (agent.taskArn !== taskArn || agent.taskStatus === 'STOPPED') return agent
  const ended: Agent = {
    ...agent,
    taskStatus: 'STOPPED',
    address: undefined,
    aiKeyHash: undefined,
    startedAt: undefined,
  }
  if (agent.desired === 'stopped') return ended
  const text = 'The task ended, and ECS no longer reports the reason'
  return {
    ...ended,
    stopReason: { code: 'Unknown', exitCode: null, text, at: new Date().toISOString() },
  }
}
