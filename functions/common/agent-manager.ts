import type { AgentServices } from '../../shared/agents/context.ts'
import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import type { Route } from '../../shared/http/route.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { openTable } from '../../shared/platform/table/open.ts'

/** The handler of one of the web's functions that manage agents. */
export function agentManagerHandler(routes: readonly Route<AgentServices>[]) {
  const config = loadConfig(process.env)
  const table = openTable(config)
  const app = createApp({
    surface: 'web',
    name: config.FUNCTION_NAME,
    routes,
    services: { table, queues: openQueues(config), config },
    settings: config,
    identity: userIdentities(table, config.ADMIN_EMAILS),
    table,
  })
  return bufferHandler(app)
}
