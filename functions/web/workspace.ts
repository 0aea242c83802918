import { createApp } from '../../shared/http/app.ts'
import { streamHandler } from '../../shared/http/lambda/stream.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { lazyQueues } from '../../shared/platform/queues/lazy.ts'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import { routes } from './workspace/index.ts'

const config = loadConfig(process.env)
const table = dynamoTable({ tableName: config.TABLE_NAME, endpoint: config.DYNAMODB_ENDPOINT })
const queues = lazyQueues({ urlOf: config.queueUrl, endpoint: config.SQS_ENDPOINT })

export const handler = streamHandler(
  createApp({
    surface: 'web',
    name: config.FUNCTION_NAME,
    routes,
    services: { table, queues, config, encryptionKey: config.WALLET_ENCRYPTION_KEY },
    settings: config,
    identity: userIdentities(table, config.ADMIN_EMAILS),
    table,
  }),
)
