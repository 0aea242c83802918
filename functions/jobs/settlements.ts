import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { recordLate } from '../../shared/usage/record.ts'
import { settlements } from '../../shared/usage/topic.ts'
import { jobWith } from '../common/job.ts'

/** Records model calls that could not be recorded at once. */
export const job = jobWith<typeof wire>()({
  topic: settlements,
  handle: (ctx, message) => recordLate(ctx, message),
})

export function wire(config: ConfigOf<'settlements'>) {
  return { services: { table: openTable(config) } }
}
