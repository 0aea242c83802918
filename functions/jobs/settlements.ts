import { recordQueued } from '#shared/ai/usage/record.ts'
import { settlements } from '#shared/ai/usage/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Records model calls that could not be recorded immediately. */
export const job = jobWith<typeof wire>()({
  topic: settlements,
  handle: (ctx, message) => recordQueued(ctx, message),
})

export function wire(config: ConfigOf<'settlements'>) {
  return { services: { table: openTable(config) } }
}
