import { tableProbe } from '../../shared/health/ready.ts'
import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { ecsContainers } from '../../shared/platform/containers/ecs.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './system/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const engine = ecsContainers({
  cluster: config.CLUSTER,
  familyPrefix: config.TASK_FAMILY_PREFIX,
  subnets: config.SUBNETS,
  securityGroups: config.SECURITY_GROUP,
  endpoint: config.ECS_ENDPOINT,
})

// What it answers does not matter: nothing is ever started by this name.
const containers = () => engine.list('health')

export const handler = bufferHandler(
  createApp({
    surface: 'backend',
    name: config.FUNCTION_NAME,
    routes,
    services: {
      probes: { database: tableProbe(table), containers },
      containers,
      provisioningDisabled: config.KILL_SWITCH,
    },
    settings: config,
  }),
)
