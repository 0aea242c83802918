import { tickRestorePoints } from '#shared/conversations/restore-points/tick.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: finds unfinished restores, and expired restore points. */
export const tick: TickOf<typeof wire> = (ctx) => tickRestorePoints(ctx)

export function wire(config: ConfigOf<'restore-points-due'>) {
  return { services: { table: openTable(config), objects: s3WholeObjects(config) } }
}
