import type * as z from 'zod'
import type { Agent } from '#shared/agents/record/agent.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import type { UserContext, Context } from '#shared/platform/identity/context.ts'
import type { HasX402Gateway } from '../x402-upstream/call.ts'
import { readGateway } from '../x402-upstream/health.ts'
import { findFitness } from '../x402-upstream/read.ts'
import type { fitness } from '../x402-upstream/schema.ts'
import type { ColonyNode, colonyDiagnostics, colonySoul, colonyTree } from './schema.ts'

/** Returns the user's agents as a tree of clones below their parents, oldest first. */
export async function colonyTreeOf(
  ctx: Pick<UserContext, 'owner' | 'table' | 'log'> & HasX402Gateway,
): Promise<z.input<typeof colonyTree>> {
  const agents = await agentsOf(ctx)
  const colony = await readColony(ctx, agents)
  return { tree: treeOf(agents, colony), count: agents.length, timestamp: now() }
}

/** Returns the fitness of each of the user's agents. */
export async function colonySoulOf(
  ctx: Pick<UserContext, 'owner' | 'table' | 'log'> & HasX402Gateway,
): Promise<z.input<typeof colonySoul>> {
  const agents = await agentsOf(ctx)
  const { gateway, fitness } = await readColony(ctx, agents)
  const soul = agents.map(({ id, name }) => {
    const { score = null, tier = null, details = null } = fitness.get(id) ?? {}
    return { agentId: id, name, score, tier, details }
  })
  return { soul, gateway, timestamp: now() }
}

/** Returns the number of agents by state, and the gateway's state. */
export async function colonyDiagnosticsOf(
  ctx: Pick<UserContext, 'owner' | 'table' | 'log'> & HasX402Gateway,
): Promise<z.input<typeof colonyDiagnostics>> {
  const [agents, gateway] = await Promise.all([agentsOf(ctx), readGateway(ctx)])
  const inState = (...states: Agent['status'][]) =>
    agents.filter(({ status }) => states.includes(status)).length
  return {
    agents: {
      total: agents.length,
      running: inState('running'),
      stopped: inState('stopped'),
      failed: inState('error'),
    },
    generations: Math.max(0, ...agents.map(generationOf)),
    clones: agents.filter(({ lineage }) => lineage !== undefined).length,
    gateway,
    timestamp: now(),
  }
}

const now = () => new Date().toISOString()

async function agentsOf({
  table,
  owner,
}: Pick<UserContext, 'owner' | 'table' | 'log'> & HasX402Gateway): Promise<Agent[]> {
  return (await listAgents({ table }, { userId: owner })).toReversed()
}

function generationOf({ lineage }: Agent): number {
  return lineage?.generation ?? 1
}

/** Clones whose parent is deleted or belongs to another user are roots. */
function treeOf(agents: readonly Agent[], { fitness }: Colony): ColonyNode[] {
  const nodes = new Map(
    agents.map((agent): [string, ColonyNode] => [
      agent.id,
      {
        id: agent.id,
        name: agent.name,
        generation: generationOf(agent),
        specialization: agent.lineage?.specialization ?? null,
        status: agent.status,
        fitness: fitness.get(agent.id)?.score ?? null,
        children: [],
      },
    ]),
  )
  const roots: ColonyNode[] = []
  for (const { id, lineage } of agents) {
    const node = nodes.get(id)
    const parent = lineage && nodes.get(lineage.parentAgentId)
    if (node !== undefined) (parent?.children ?? roots).push(node)
  }
  return roots
}

type Fitness = z.output<typeof fitness>

/** The state of the x402 gateway, and the fitness of the agents that it reports. */
interface Colony {
  gateway: 'reachable' | 'unreachable' | 'not configured'
  fitness: ReadonlyMap<string, Fitness>
}

/** The total timeout, which leaves time to respond even if the gateway is slow for every agent. */
const totalMs = 15_000

/** The number of agents that are read concurrently. */
const concurrency = 10

/** Reads the gateway's state and each agent's fitness. Agents without a reported fitness are omitted. */
async function readColony(
  ctx: Pick<Context, 'log'> & HasX402Gateway,
  agents: readonly Agent[],
): Promise<Colony> {
  const gateway = await readGateway(ctx)
  const found = new Map<string, Fitness>()
  if (gateway !== 'reachable') return { gateway, fitness: found }
  const deadline = Date.now() + totalMs
  const remaining = [...agents]
  const ask = async (): Promise<void> => {
    for (let agent = remaining.pop(); agent !== undefined; agent = remaining.pop()) {
      const timeoutMs = deadline - Date.now()
      if (timeoutMs <= 0) return
      const fitness = await findFitness(ctx, { agentId: agent.id, timeoutMs })
      if (fitness !== undefined) found.set(agent.id, fitness)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, ask))
  return { gateway, fitness: found }
}
