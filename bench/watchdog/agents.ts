import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Agent } from '#shared/agents/record/agent.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import type { Address } from '#shared/platform/containers/port.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { agentWrites } from '#tests/support/agents/agent-rows.ts'

/** One in this many agents fails. */
const failingEvery = 100

/** The maximum number of agents in one transaction, each with its watch. */
const batch = 50

/** Starts one gateway for all healthy agents and one for all failing agents. */
export async function startGateways() {
  const [well, ill] = await Promise.all([listen(200), listen(503)])
  const close = async () => {
    for (const { server } of [well, ill]) server.close().closeAllConnections()
  }
  return { well: well.address, ill: ill.address, close }
}

async function listen(status: number): Promise<{ server: Server; address: Address }> {
  const server = createServer((_request, response) => response.writeHead(status).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, address: { host: '127.0.0.1', port } }
}

/** Writes running agents that are due for a check; one in a hundred fails it. @returns the ids of the failing ones */
export async function seed(
  table: Table,
  count: number,
  gateways: { well: Address; ill: Address },
): Promise<Set<string>> {
  const failing = new Set<string>()
  for (let made = 0; made < count; made += batch) {
    const agents = Array.from({ length: Math.min(batch, count - made) }, (_, n) => {
      const fails = (made + n) % failingEvery === 0
      const agent = runningAgent(made + n, fails ? gateways.ill : gateways.well)
      if (fails) failing.add(agent.id)
      return agent
    })
    await table.transact(agents.flatMap(agentWrites))
  }
  return failing
}

function runningAgent(n: number, address: Address): Agent {
  const now = Date.now()
  // Long enough ago that the next check is due. An agent that has just started has none due yet.
  const began = now - 600_000
  const at = new Date(began).toISOString()
  const id = newId('agt')
  return {
    id,
    userId: `usr_${n % 1000}`,
    name: `Agent ${n}`,
    subdomain: `agent-${id.slice(-8)}`,
    model: 'gpt-4',
    plan: 'solo',
    aiProvider: 'router',
    config: { systemPrompt: 'You help people to book what they need. '.repeat(10) },
    image: 'registry.example/agent:1.2.3',
    status: 'running',
    desired: 'running',
    generation: 1,
    revision: 5,
    tokenVersion: 1,
    taskArn: `arn:aws:ecs:us-east-1:000000000000:task/platform/${id}`,
    taskStatus: 'RUNNING',
    taskHealth: 'HEALTHY',
    taskVersion: 4,
    address,
    startedAt: at,
    located: true,
    watchdog: { ...newWatchdog(began), state: 'running', generation: 1, dueAt: now - 1000 },
    createdAt: at,
    updatedAt: at,
  }
}
