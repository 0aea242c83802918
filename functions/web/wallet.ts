import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './wallet/index.ts'
import { walletServices } from './wallet/services.ts'

const config = loadConfig(process.env)
const table = openTable(config)

const app = createApp({
  surface: 'web',
  name: config.FUNCTION_NAME,
  routes,
  services: walletServices(config, table),
  settings: config,
  table,
})

export const handler = bufferHandler(app)
