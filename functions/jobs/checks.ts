import type { Agent } from '../../shared/agents/agent.ts'
import { checkAgents } from '../../shared/fleet/watchdog/check-all.ts'
import { checks } from '../../shared/fleet/watchdog/topic.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { syncWorkspace } from '../../shared/workspace/sync.ts'
import { jobWith } from '../common/job.ts'

/** Runs the watchdog's steps: health checks, repairs, and the recovery of lost steps. */
export const job = jobWith<typeof wire>()({
  topic: checks,
  handle: ({ table, queues, log, settings, encryptionKey }, { agents }) => {
    const sync = (agent: Agent) => syncWorkspace({ table, encryptionKey, log }, { agent })
    return checkAgents({ table, queues, log, settings, syncWorkspace: sync }, agents)
  },
})

export function wire(config: ConfigOf<'checks'>) {
  return {
    services: {
      table: openTable(config),
      settings: config,
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
    },
  }
}
