import type { ActivityContext } from '../../shared/fleet/activity/context.ts'
import type { AgentTimeouts } from '../../shared/agent-gateway/request.ts'
import type { Wiring } from '../../shared/http/wiring.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import type { Config } from '../../shared/platform/config/load.ts'
import { lazyQueues } from '../../shared/platform/queues/lazy.ts'
import { openTable } from '../../shared/platform/table/open.ts'

/** What it takes to reach agents' containers, and to wake them first. */
export interface AgentClientServices extends ActivityContext {
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
  timeouts?: AgentTimeouts
}

/** What the web's groups that work with agents' containers stand on. */
export function agentClient(config: Config): Wiring<AgentClientServices> {
  const table = openTable(config)
  const queuesFor = lazyQueues({ urlOf: config.queueUrl, endpoint: config.SQS_ENDPOINT })
  return {
    services: (origin) => ({
      table,
      queues: queuesFor(origin),
      config,
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
    }),
    identity: userIdentities(table, config.ADMIN_EMAILS),
    table,
  }
}
