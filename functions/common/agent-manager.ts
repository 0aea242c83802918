import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { QueueName } from '#shared/manifest/queues.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { openQueues, type QueueSettings } from '#shared/platform/queues/open.ts'
import { userGroup, type UserGroupSettings } from './user-group.ts'

/** Creates the services of the web groups that manage agents. */
export function agentManager<Queue extends QueueName>(
  config: UserGroupSettings & QueueSettings<Queue> & Reads<AgentSetting>['config'],
): Wiring<AgentContext<Queue> & Reads<AgentSetting>> {
  const queuesFor = openQueues(config)
  return userGroup(config, (table) => (origin) => ({ table, queues: queuesFor(origin), config }))
}
