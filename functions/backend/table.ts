import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import type { Route } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { type Services as AgentToolServices, routes as agentTools } from './agent-mcp.ts'
import { routes as underground, type Services as UndergroundServices } from './underground.ts'

type Services = AgentToolServices & UndergroundServices

/** The routes whose only right is the table: docs/design/decisions/0031. */
export const routes: readonly Route<Services>[] = [...agentTools, ...underground]

export function wire(config: ConfigOf<'backend-table'>): Wiring<Services> {
  const table = openTable(config)
  return {
    services: {
      table,
      backendUrl: config.BACKEND_URL,
      summarizerUrl: config.SUMMARIZER_URL,
      originSecret: config.ORIGIN_SECRET,
    },
    identity: { agentKey: agentKeyIdentity(table) },
    table,
  }
}
