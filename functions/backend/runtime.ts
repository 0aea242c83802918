import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './runtime/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)

const app = createApp({
  surface: 'backend',
  name: config.FUNCTION_NAME,
  routes,
  services: { table, image: config.AGENT_IMAGE, encryptionKey: config.WALLET_ENCRYPTION_KEY },
  settings: config,
  table,
})

export const handler = bufferHandler(app)
