import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { configuredVerifier } from '../../shared/security-events/receive.ts'
import { routes } from './security/index.ts'

const config = loadConfig(process.env)

const app = createApp({
  surface: 'web',
  name: config.FUNCTION_NAME,
  routes,
  services: {
    queues: openQueues(config),
    verifier: configuredVerifier(config),
    webUrl: config.WEB_URL,
  },
  settings: config,
})

export const handler = bufferHandler(app)
