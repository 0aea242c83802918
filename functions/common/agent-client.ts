import type { AgentTimeouts } from '#shared/agents/agent-gateway/request.ts'
import type { ActivityContext } from '#shared/agents/fleet/activity/context.ts'
import type { AgentQueue } from '#shared/agents/record/context.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import { openQueues, type QueueSettings } from '#shared/platform/queues/open.ts'
import { userGroup, type UserGroupSettings } from './user-group.ts'

/** The services that are needed to reach agents' containers and to wake them. */
export type AgentClientServices = ActivityContext &
  Sends<AgentQueue | 'telemetry'> &
  Can<'encryptionKey'> & { timeouts?: AgentTimeouts }

/** Creates the services of the web groups that call agents' containers. */
export function agentClient(
  config: UserGroupSettings &
    QueueSettings<AgentQueue | 'telemetry'> &
    AgentClientServices['config'] &
    Pick<Settings, 'WALLET_ENCRYPTION_KEY'>,
): Wiring<AgentClientServices> {
  const queuesFor = openQueues(config)
  return userGroup(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    config,
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
  }))
}
