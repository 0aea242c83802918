import { type Agent, liveTasks } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { lastImage, runtimeVersion } from '#shared/agents/record/image/last-image.ts'
import { viewAgents } from '#shared/agents/record/list.ts'
import { imageVersion } from '#shared/agents/record/names.ts'
import { agentPageQuery, agentParams } from '#shared/agents/record/schema.ts'
import { backendStatus } from '#shared/agents/record/status.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { containerStats } from '#shared/operations/stats/container.ts'
import { memoryPercent } from '#shared/operations/stats/memory-percent.ts'
import {
  runtimeVersionAnswer,
  runtimeInstances,
  runtimeStats,
} from '#shared/operations/stats/schema.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openTable } from '#shared/platform/table/open.ts'

export type Services = Pick<Context, 'table'> &
  Can<'encryptionKey'> & {
    /** AGENT_IMAGE. */
    image: string
  }

const route = routesWith<Services>()

/** @returns undefined for an agent without a container */
function instanceOf(agent: Agent) {
  if (liveTasks(agent).length === 0) return undefined
  const { id, name, createdAt, userId, plan, generation, startedAt = null } = agent
  return {
    agentId: id,
    name,
    createdAt,
    image: lastImage(agent),
    status: backendStatus(agent.status),
    version: runtimeVersion(agent),
    metadata: { userId, plan, generation, startedAt },
  }
}

export const routes = [
  route({
    name: 'runtime.version',
    method: 'GET',
    path: '/api/runtime/version',
    summary: 'Get the default image of agents',
    tag: 'runtime',
    guard: 'none',
    response: runtimeVersionAnswer,
    errors: [],
    handle: ({ image }) => ({ runtimeVersion: imageVersion(image), image, deployedAt: null }),
  }),

  route({
    name: 'runtime.instances.list',
    method: 'GET',
    path: '/api/runtime/instances',
    summary: 'List agents with a container',
    description: '`x-user-id` filters by user.',
    tag: 'runtime',
    guard: 'internal',
    query: agentPageQuery,
    response: runtimeInstances,
    pages: true,
    errors: ['bad-request', 'unauthorized', 'forbidden'],
    handle: async ({ table, owner }, { query }) => {
      const found = await viewAgents({ table }, { userId: owner, ...query }, instanceOf)
      return new Paged({ instances: found.items, count: found.items.length }, found.next)
    },
  }),

  route({
    name: 'runtime.instances.stats',
    method: 'GET',
    path: '/api/runtime/instances/:id/stats',
    summary: 'Get metrics of an agent’s container',
    description: 'An unknown metric is null.',
    tag: 'runtime',
    guard: 'internal',
    params: agentParams,
    response: runtimeStats,
    errors: ['unauthorized', 'forbidden', 'not-found', 'unavailable'],
    handle: async (ctx, { params }) => {
      const agent = await requireAgent(ctx, { agentId: params.id, owner: ctx.owner })
      const figures = await containerStats(ctx, { agent })
      return {
        agentId: agent.id,
        cpu: figures.cpuPercent,
        memory: figures.memoryBytes,
        memoryPercent: memoryPercent(agent, figures.memoryBytes),
        network: figures.network,
        pids: figures.pids,
        status: backendStatus(agent.status),
        uptimeMs: figures.uptimeMs,
        timestamp: new Date().toISOString(),
      }
    },
  }),
]

export function wire(config: ConfigOf<'backend-runtime'>): Wiring<Services> {
  const table = openTable(config)
  return {
    services: { table, image: config.AGENT_IMAGE, encryptionKey: config.WALLET_ENCRYPTION_KEY },
    table,
  }
}
