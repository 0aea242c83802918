import type { ActivityContext } from '../../shared/fleet/activity/context.ts'
import type { AgentTimeouts } from '../../shared/agent-gateway/request.ts'
import type { Wiring } from '../../shared/http/wiring.ts'
import type { Config } from '../../shared/platform/config/load.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { userGroup } from './user-group.ts'

/** What it takes to reach agents' containers, and to wake them first. */
export interface AgentClientServices extends ActivityContext {
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
  timeouts?: AgentTimeouts
}

/** What the web's groups that work with agents' containers stand on. */
export function agentClient(config: Config): Wiring<AgentClientServices> {
  const queuesFor = openQueues(config)
  return userGroup(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    config,
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
  }))
}
