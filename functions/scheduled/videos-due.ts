import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { tickVideos } from '#shared/tools/videos/tick.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds videos with pending steps. */
export const tick: TickOf<typeof wire> = (ctx) => tickVideos(ctx)

export function wire(config: ConfigOf<'videos-due'>) {
  return { services: { table: openTable(config) } }
}
