import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { queuedMailer } from '../../shared/platform/mail/queued.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { sealer } from '../../shared/platform/seal.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { configuredProviders } from '../../shared/providers/configure.ts'
import { routes } from './providers/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const queues = openQueues(config)
const { WALLET_ENCRYPTION_KEY: encryptionKey } = config

const app = createApp({
  surface: 'web',
  name: config.FUNCTION_NAME,
  routes,
  services: {
    table,
    mailer: queuedMailer(queues),
    webUrl: config.WEB_URL,
    sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
    providers: configuredProviders(config),
  },
  settings: config,
  table,
})

export const handler = bufferHandler(app)
