import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './instances/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const queues = openQueues(config)

const app = createApp({
  surface: 'web',
  name: config.FUNCTION_NAME,
  routes,
  services: { table, queues, config },
  settings: config,
  identity: userIdentities(table, config.ADMIN_EMAILS),
  table,
})

export const handler = bufferHandler(app)
