import type { Agent } from '../../shared/agents/agent.ts'
import { syncWorkspace } from '../../shared/workspace/sync.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { checks } from '../../shared/fleet/watchdog/topic.ts'
import { checkAgents } from '../../shared/fleet/watchdog/check-all.ts'
import { job } from '../common/job.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const services = { table, encryptionKey: config.WALLET_ENCRYPTION_KEY }

/** The watchdog's steps: health checks, repairs, and what was lost on its way. */
export const handler = job(config, {
  topic: checks,
  handle: ({ queues, log }, { agents }) => {
    const sync = (agent: Agent) => syncWorkspace({ ...services, log }, { agent })
    return checkAgents({ table, queues, settings: config, syncWorkspace: sync }, agents)
  },
})
