/** Our side as a service: the program of the hourly containers, with plain HTTP. */
import { createRequire } from 'node:module'
import type { Handler } from '#shared/http/server/handler.ts'
import { startServer } from '#shared/http/server/server.ts'
import { functionEnvironment } from '#stacks/local/functions/environment.ts'
import { spec } from '../bundle.ts'

const [program = '', provider = ''] = process.argv.slice(2)
if (spec === undefined) throw new Error('the manifest has no function backend-ai')
const environment = functionEnvironment(spec, {
  bundles: '',
  values: {
    AI_BASE_URL: provider,
    AI_API_KEY: 'bench',
    AI_SPEAKS: 'chat,messages,responses',
  },
  tableName: 'platform',
  clusterName: '',
  queueUrls: {} as never,
  endpoints: { dynamodb: '', sqs: '', ecs: '', ses: '', s3: '', lambda: '' },
  objectLinksKey: '',
})
Object.assign(process.env, environment)
const { handler } = createRequire(import.meta.url)(program) as { handler: Handler }
const { port } = await startServer(handler, { host: '127.0.0.1', port: 0 })
process.send?.({ port })

process.on('message', () => process.send?.({ rssMb: process.memoryUsage.rss() / 1024 / 1024 }))
process.on('disconnect', () => process.exit())
