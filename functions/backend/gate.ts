import { createApp } from '../../shared/http/app.ts'
import { streamHandler } from '../../shared/http/lambda/stream.ts'
import { userKeyIdentity } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './gate/index.ts'

/** Less than the function lives, so that the client still hears why. */
const patienceMs = 100_000

const config = loadConfig(process.env)
const table = openTable(config)
const queues = openQueues(config)

// Without the table's limits: all requests come from the router's one address, and none is counted as the client's.
const app = createApp({
  surface: 'backend',
  name: config.FUNCTION_NAME,
  routes,
  services: {
    table,
    queues,
    config,
    patienceMs,
    userKey: userKeyIdentity(table, config.ADMIN_EMAILS),
  },
  settings: config,
})

export const handler = streamHandler(app)
