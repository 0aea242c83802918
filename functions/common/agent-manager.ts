import type { AgentServices } from '../../shared/agents/context.ts'
import type { Wiring } from '../../shared/http/wiring.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import type { Config } from '../../shared/platform/config/load.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import type { Origin } from '../../shared/platform/queues/port.ts'
import { openTable } from '../../shared/platform/table/open.ts'

/** What the web's groups that manage agents stand on. */
export function agentManager(config: Config) {
  const table = openTable(config)
  const queuesFor = openQueues(config)
  return {
    services: (origin: Origin): AgentServices => ({ table, queues: queuesFor(origin), config }),
    identity: userIdentities(table, config.ADMIN_EMAILS),
    table,
  } satisfies Wiring<AgentServices>
}
