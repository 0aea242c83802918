import { syncAll } from '#shared/agents/files/container/sync.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { unpackStored } from '#shared/conversations/agent-archives/unpack-files.ts'
import { createDaily } from '#shared/conversations/restore-points/daily.ts'
import { restorePoints } from '#shared/conversations/restore-points/topic.ts'
import { executeRestore } from '#shared/conversations/restore-points/work/execute.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Restores agents and creates the daily restore points. */
export const job = jobWith<typeof wire>()({
  topic: restorePoints,
  handle: (given, message) => {
    const ctx = { ...given, syncFiles: (agent: Agent) => syncAll(given, agent) }
    return message.kind === 'daily' ? createDaily(ctx, message) : executeRestore(ctx, message)
  },
})

export function wire(config: ConfigOf<'restore-points'>) {
  const packs = s3PartialObjects(config)
  return {
    services: {
      table: openTable(config),
      objects: s3WholeObjects(config),
      packs,
      unpackFiles: (source: Parameters<typeof unpackStored>[1], goOn: () => Promise<void>) =>
        unpackStored(packs, source, goOn),
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
      config,
    },
  }
}
