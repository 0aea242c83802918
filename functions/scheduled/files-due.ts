import { tickFiles } from '#shared/agents/files/tick.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds uploads to commit, and files whose unused packs must be removed. */
export const tick: TickOf<typeof wire> = (ctx) => tickFiles(ctx)

export function wire(config: ConfigOf<'files-due'>) {
  return { services: { table: openTable(config) } }
}
