import { consumeProvisioning } from '../../shared/fleet/provisioning/consume.ts'
import { provisioning } from '../../shared/fleet/provisioning/topic.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { ecsContainers } from '../../shared/platform/containers/ecs.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { job } from '../common/job.ts'
import { onDeleted } from './provisioning/on-deleted.ts'

const config = loadConfig(process.env)
const services = {
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
}

/** Makes the containers be as the agents' rows want them. */
export const handler = job(config, {
  topic: provisioning,
  handle: (ctx, message) => consumeProvisioning({ ...services, ...ctx }, message),
})
