import { bcryptPasswords } from '../../shared/accounts/password.ts'
import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './accounts/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)

const app = createApp({
  surface: 'web',
  name: config.FUNCTION_NAME,
  routes,
  services: {
    table,
    passwords: bcryptPasswords(),
    webUrl: config.WEB_URL,
    lockouts: config.deployed || config.RATE_LIMITS === 'on',
  },
  settings: config,
  identity: userIdentities(table, config.ADMIN_EMAILS),
  table,
})

export const handler = bufferHandler(app)
