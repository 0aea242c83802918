import { sweepOrphans } from '#shared/agents/fleet/orphans/sweep.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { taskPages } from '#shared/platform/containers/all-tasks.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every hour: finds tasks that belong to no agent. */
export const tick: TickOf<typeof wire> = (ctx) => sweepOrphans(ctx)

export function wire(config: ConfigOf<'orphan-tasks'>) {
  return {
    services: { table: openTable(config), tasks: taskPages(config.CLUSTER, config.ECS_ENDPOINT) },
  }
}
