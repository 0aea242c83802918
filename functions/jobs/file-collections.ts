import { collectPacks } from '#shared/agents/files/collection/collect.ts'
import { fileCollections } from '#shared/agents/files/collection/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Removes packs of agents' files that are not in use. */
export const job = jobWith<typeof wire>()({
  topic: fileCollections,
  handle: (ctx, message) => collectPacks(ctx, message),
})

export function wire(config: ConfigOf<'file-collections'>) {
  return { services: { table: openTable(config), packs: s3PartialObjects(config) } }
}
