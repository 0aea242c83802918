import { handOvers } from '#shared/agents/fleet/warm-pool/topic.ts'
import { handOver } from '#shared/agents/fleet/watchdog/hand-over.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { syncWorkspace } from '#shared/agents/workspace/sync.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Assigns warm containers to agents, and records when they answer. */
export const job = jobWith<typeof wire>()({
  topic: handOvers,
  handle: ({ table, queues, log, settings, encryptionKey }, message) => {
    const sync = (agent: Agent) => syncWorkspace({ table, encryptionKey, log }, { agent })
    return handOver({ table, queues, log, settings, syncWorkspace: sync }, message)
  },
})

export function wire(config: ConfigOf<'hand-overs'>) {
  return {
    services: {
      table: openTable(config),
      settings: config,
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
    },
  }
}
