import { diskGbOf } from '#shared/agents/files/disk.ts'
import { consumeProvisioning } from '#shared/agents/fleet/provisioning/consume.ts'
import { provisioning } from '#shared/agents/fleet/requests/topic.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import {
  snapshotBeforeDeletion,
  snapshotBeforeUpdate,
} from '#shared/conversations/restore-points/on-deleted.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { ecsContainers } from '#shared/platform/containers/ecs.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'
import { onDeleted } from './provisioning/on-deleted.ts'

/** Starts, stops and removes containers as the agents' rows require. */
export const job = jobWith<typeof wire>()({
  topic: provisioning,
  handle: (ctx, message) => consumeProvisioning(ctx, message),
})

export function wire(config: ConfigOf<'provisioning'>) {
  const table = openTable(config)
  const objects = s3WholeObjects(config)
  return {
    services: {
      config,
      onDeleted: [snapshotBeforeDeletion(objects), ...onDeleted],
      beforeUpdate: snapshotBeforeUpdate(table, objects),
      diskGb: (agent: Agent) => diskGbOf({ table }, agent),
      table,
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
