import { tableProbe } from '../../shared/health/ready.ts'
import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './system/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)

export const handler = bufferHandler(
  createApp({
    surface: 'web',
    name: config.FUNCTION_NAME,
    routes,
    services: { probes: { database: tableProbe(table) } },
    settings: config,
  }),
)
