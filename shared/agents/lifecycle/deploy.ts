import { setTimeout as wait } from 'node:timers/promises'
import { notFound } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import { changeConfig } from '../config/change.ts'
import type { AgentServices } from '../context.ts'
import { readAgent, requireAgent } from '../find.ts'
import type { Deployment } from '../schema.ts'
import { requireProvisioning } from './guard.ts'
import { startAgent } from './start.ts'

/** spec.md, Limits: the provisioning deployment call. */
const longestWaitMs = 15_000

const pollMs = 150

/**
 * Starts an agent and waits a while for it to run. One that runs is started anew where its container is to be told of
 * the config, so that an agent that is said to run runs with it.
 * @returns the agent as it is then, and whether it was running from the beginning
 * @throws PlatformError 500 while KILL_SWITCH, 404
 */
export async function deployAgent(
  ctx: AgentServices,
  owner: string | undefined,
  { agentId, config }: Deployment,
  waitMs = longestWaitMs,
): Promise<{ agent: Agent; wasRunning: boolean }> {
  requireProvisioning(ctx)
  const found = await requireAgent(ctx.table, agentId, owner)
  const agent = config === undefined ? found : await changeConfig(ctx, found, config, true)
  const started = await startAgent(ctx, agent, 'deploy')
  if (started.status === 'running') return { agent: started, wasRunning: true }
  return { agent: await untilSettled(ctx, started, Date.now() + waitMs), wasRunning: false }
}

async function untilSettled(ctx: AgentServices, agent: Agent, deadline: number): Promise<Agent> {
  let current = agent
  while (current.status === 'provisioning' && Date.now() < deadline) {
    await wait(pollMs)
    const next = await readAgent(ctx.table, { userId: agent.userId, agentId: agent.id })
    if (next === undefined || next.deleting) throw notFound('Agent')
    current = next
  }
  return current
}
