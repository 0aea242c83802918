import { consumeProvisioning } from '../../shared/fleet/provisioning/consume.ts'
import { provisioning } from '../../shared/fleet/provisioning/topic.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { ecsContainers } from '../../shared/platform/containers/ecs.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'
import { onDeleted } from './provisioning/on-deleted.ts'

/** Makes the containers be as the agents' rows want them. */
export const job = jobWith<typeof wire>()({
  topic: provisioning,
  handle: (ctx, message) => consumeProvisioning(ctx, message),
})

export function wire(config: ConfigOf<'provisioning'>) {
  return {
    services: {
      config,
      onDeleted,
      table: openTable(config),
      containers: ecsContainers({
        cluster: config.CLUSTER,
        familyPrefix: config.TASK_FAMILY_PREFIX,
        subnets: config.SUBNETS,
        securityGroups: config.SECURITY_GROUP,
        endpoint: config.ECS_ENDPOINT,
      }),
    },
  }
}
