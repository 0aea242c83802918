import type { AgentServices } from '../../shared/agents/context.ts'
import type { Wiring } from '../../shared/http/wiring.ts'
import type { Config } from '../../shared/platform/config/load.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { userGroup } from './user-group.ts'

/** What the web's groups that manage agents stand on. */
export function agentManager(config: Config): Wiring<AgentServices> {
  const queuesFor = openQueues(config)
  return userGroup(config, (table) => (origin) => ({ table, queues: queuesFor(origin), config }))
}
