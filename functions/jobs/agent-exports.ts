import { runExport } from '#shared/conversations/agent-archives/exports/run.ts'
import { agentExports } from '#shared/conversations/agent-archives/exports/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import { s3Objects } from '#shared/platform/objects/s3.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Writes archives of agents, and removes them after their time. */
export const job = jobWith<typeof wire>()({
  topic: agentExports,
  handle: (ctx, message) => runExport(ctx, message),
})

export function wire(config: ConfigOf<'agent-exports'>) {
  return {
    services: {
      table: openTable(config),
      packs: s3PartialObjects(config),
      objectStore: s3Objects(config),
    },
  }
}
