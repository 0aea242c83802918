import { consumeProvisioning } from '../../shared/fleet/provisioning/consume.ts'
import { provisioningMessage } from '../../shared/fleet/provisioning/schema.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { ecsContainers } from '../../shared/platform/containers/ecs.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { onDeleted } from './provisioning/on-deleted.ts'

const config = loadConfig(process.env)
const services = {
  config,
  onDeleted,
  table: openTable(config),
  queues: openQueues(config),
  containers: ecsContainers({
    cluster: config.CLUSTER,
    familyPrefix: config.TASK_FAMILY_PREFIX,
    subnets: config.SUBNETS,
    securityGroups: config.SECURITY_GROUP,
    endpoint: config.ECS_ENDPOINT,
  }),
}

/** Makes the containers be as the agents' rows want them. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: provisioningMessage,
  handle: (message, { log }) => consumeProvisioning({ ...services, log }, message),
  queueUrl: config.queueUrl('provisioning'),
  endpoint: config.SQS_ENDPOINT,
})
