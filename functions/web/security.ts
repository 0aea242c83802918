import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { sqsQueues } from '../../shared/platform/queues/sqs.ts'
import { configuredVerifier } from '../../shared/security-events/receive.ts'
import { routes } from './security/index.ts'

const config = loadConfig(process.env)

const app = createApp({
  surface: 'web',
  name: config.FUNCTION_NAME,
  routes,
  services: {
    queues: sqsQueues({ urlOf: config.queueUrl, endpoint: config.SQS_ENDPOINT }),
    verifier: configuredVerifier(config),
    webUrl: config.WEB_URL,
  },
  settings: config,
})

export const handler = bufferHandler(app)
