import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { userKeyIdentity } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './keys/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const identify = userKeyIdentity(table, config.ADMIN_EMAILS)

const app = createApp({
  surface: 'backend',
  name: config.FUNCTION_NAME,
  routes,
  services: {},
  settings: config,
  // spec.md, API keys: here the prefix is not required.
  identity: { userKey: (key) => identify(key.startsWith('sk_') ? key : `sk_${key}`) },
  table,
})

export const handler = bufferHandler(app)
