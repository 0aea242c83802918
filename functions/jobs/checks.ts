import type { Agent } from '../../shared/agents/agent.ts'
import { syncWorkspace } from '../../shared/workspace/sync.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { CheckMessage } from '../../shared/fleet/watchdog/messages.ts'
import { checkAgents } from '../../shared/fleet/watchdog/check-all.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const queues = openQueues(config)
const services = { table, encryptionKey: config.WALLET_ENCRYPTION_KEY }

/** The watchdog's steps: health checks, repairs, and what was lost on its way. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: CheckMessage,
  handle: ({ agents }, { log }) => {
    const sync = (agent: Agent) => syncWorkspace({ ...services, log }, agent)
    return checkAgents({ table, queues, settings: config, syncWorkspace: sync }, agents)
  },
  queueUrl: config.queueUrl('checks'),
  endpoint: config.SQS_ENDPOINT,
})
