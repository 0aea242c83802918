import { createHealthCheck } from '../../shared/ai/health/check.ts'
import { describedCatalogue } from '../../shared/ai/models/described.ts'
import { createProviders } from '../../shared/ai/providers/provider.ts'
import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './models/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const providers = createProviders(config)

export const handler = bufferHandler(
  createApp({
    surface: 'backend',
    name: config.FUNCTION_NAME,
    routes,
    services: {
      providers,
      catalogue: describedCatalogue(providers),
      checkHealth: createHealthCheck(providers),
    },
    settings: config,
    table,
  }),
)
