import { observeTasks } from '#shared/agents/fleet/task-states/observe.ts'
import { taskStates } from '#shared/agents/fleet/task-states/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { ecsContainers } from '#shared/platform/containers/ecs.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Gets the state of tasks from ECS, because events can be lost. */
export const job = jobWith<typeof wire>()({
  topic: taskStates,
  handle: (ctx, message) => observeTasks(ctx, message),
})

export function wire(config: ConfigOf<'task-states'>) {
  return {
    services: {
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
