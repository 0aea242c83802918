import { tickArchives } from '#shared/conversations/agent-archives/tick.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds exports to write or to remove, and archives that were not imported in time. */
export const tick: TickOf<typeof wire> = (ctx) => tickArchives(ctx)

export function wire(config: ConfigOf<'agent-exports-due'>) {
  return { services: { table: openTable(config), packs: s3PartialObjects(config) } }
}
