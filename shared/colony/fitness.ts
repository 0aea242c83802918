import type { Agent } from '../agents/agent.ts'
import { readGateway } from '../x402-upstream/health.ts'
import { findFitness, type ReadContext } from '../x402-upstream/read.ts'
import type * as z from 'zod'
import type { fitness } from '../x402-upstream/schema.ts'

export type Fitness = z.output<typeof fitness>

/** What an x402 gateway says of agents, as far as it says anything. */
export interface Colony {
  gateway: 'reachable' | 'unreachable' | 'not configured'
  fitness: ReadonlyMap<string, Fitness>
}

/** So that a gateway that is slow with each agent still leaves time to answer. */
const allMs = 15_000

/** Agents that are asked about at once. */
const atOnce = 10

/** Asks the gateway whether it is there and then for each agent's fitness; what it does not say is left out. */
export async function readColony(ctx: ReadContext, agents: readonly Agent[]): Promise<Colony> {
  const gateway = await readGateway(ctx)
  const found = new Map<string, Fitness>()
  if (gateway !== 'reachable') return { gateway, fitness: found }
  const deadline = Date.now() + allMs
  const left = [...agents]
  const ask = async (): Promise<void> => {
    for (let agent = left.pop(); agent !== undefined; agent = left.pop()) {
      const timeoutMs = deadline - Date.now()
      if (timeoutMs <= 0) return
      const fitness = await findFitness(ctx, { agentId: agent.id, timeoutMs })
      if (fitness !== undefined) found.set(agent.id, fitness)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  return { gateway, fitness: found }
}
