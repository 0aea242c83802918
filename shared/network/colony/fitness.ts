import type * as z from 'zod'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { HasX402Gateway } from '../x402-upstream/call.ts'
import { readGateway } from '../x402-upstream/health.ts'
import { findFitness } from '../x402-upstream/read.ts'
import type { fitness } from '../x402-upstream/schema.ts'

type Fitness = z.output<typeof fitness>

/** The state of the x402 gateway, and the fitness of agents as far as it reports it. */
export interface Colony {
  gateway: 'reachable' | 'unreachable' | 'not configured'
  fitness: ReadonlyMap<string, Fitness>
}

/** Leaves time to respond even if the gateway is slow for every agent. */
const allMs = 15_000

/** The number of agents that are read concurrently. */
const atOnce = 10

/** Reads the gateway's state and each agent's fitness. Agents without a reported fitness are omitted. */
export async function readColony(
  ctx: Pick<Context, 'log'> & HasX402Gateway,
  agents: readonly Agent[],
): Promise<Colony> {
  const gateway = await readGateway(ctx)
  const found = new Map<string, Fitness>()
  if (gateway !== 'reachable') return { gateway, fitness: found }
  const deadline = Date.now() + allMs
  const remaining = [...agents]
  const ask = async (): Promise<void> => {
    for (let agent = remaining.pop(); agent !== undefined; agent = remaining.pop()) {
      const timeoutMs = deadline - Date.now()
      if (timeoutMs <= 0) return
      const fitness = await findFitness(ctx, { agentId: agent.id, timeoutMs })
      if (fitness !== undefined) found.set(agent.id, fitness)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  return { gateway, fitness: found }
}
