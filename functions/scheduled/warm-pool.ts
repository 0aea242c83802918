import { maintainWarmPool } from '#shared/agents/fleet/warm-pool/maintain.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { ecsContainers } from '#shared/platform/containers/ecs.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: starts or stops warm containers to reach the configured number. */
export const tick: TickOf<typeof wire> = (ctx) => maintainWarmPool(ctx)

export function wire(config: ConfigOf<'warm-pool'>) {
  return {
    services: {
      config,
      table: openTable(config),
      containers: ecsContainers({
        cluster: config.CLUSTER,
        familyPrefix: config.TASK_FAMILY_PREFIX,
        subnets: config.SUBNETS,
        securityGroups: config.SECURITY_GROUP,
        publicAddress: config.PUBLIC_ADDRESS === 'ENABLED',
        endpoint: config.ECS_ENDPOINT,
      }),
    },
  }
}
