import { setTimeout as wait } from 'node:timers/promises'
import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAwakeRoom } from '#shared/agents/record/awake.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { readAgent, requireAgent } from '#shared/agents/record/find.ts'
import { requireProvisioning } from '#shared/agents/record/guard.ts'
import { permitStart, starterOf } from '#shared/agents/record/permit.ts'
import type { Deployment } from '#shared/agents/record/schema.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { changeConfig } from './config/change.ts'
import { startAgent } from './lifecycle/start.ts'

/** spec.md, Limits: the timeout of the provisioning deployment call. */
const longestWaitMs = 15_000

const pollMs = 150

/**
 * Starts an agent and waits until it runs. A running agent is restarted if its container must get the new config, so
 * that an agent that is reported as running uses it.
 * @returns the current agent, and whether it was already running
 * @throws PlatformError 500 while KILL_SWITCH is on, 404, 402 and 409 as permitStart
 */
export async function deployAgent(
  ctx: Pick<Context<InternalActor>, 'actor' | 'owner' | 'requestId'> &
    AgentContext &
    Reads<AgentSetting>,
  { agentId, config }: Deployment,
  waitMs = longestWaitMs,
): Promise<{ agent: Agent; wasRunning: boolean }> {
  requireProvisioning(ctx)
  const by = starterOf(ctx.actor)
  const found = await requireAgent(ctx, { agentId, owner: ctx.owner })
  // Checked before the config is changed, so that a rejected request changes nothing.
  const { awakeLimit: limit } = await permitStart(ctx, found, by)
  await requireAwakeRoom(ctx, { agent: found, limit })
  const agent =
    config === undefined
      ? found
      : await changeConfig(ctx, {
          agent: found,
          change: config,
          apply: true,
          by,
          mayRaiseCap: true,
        })
  const started = await startAgent(ctx, { agent, by, reason: 'deploy' })
  if (started.status === 'running') return { agent: started, wasRunning: true }
  return { agent: await untilSettled(ctx, started, Date.now() + waitMs), wasRunning: false }
}

async function untilSettled(
  ctx: AgentContext & Reads<AgentSetting>,
  agent: Agent,
  deadline: number,
): Promise<Agent> {
  let current = agent
  while (current.status === 'provisioning' && Date.now() < deadline) {
    await wait(pollMs)
    const next = await readAgent(ctx.table, { userId: agent.userId, agentId: agent.id })
    if (next === undefined || next.deleting) throw notFound('Agent')
    current = next
  }
  return current
}
