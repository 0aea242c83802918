import { createApp } from '../../shared/http/app.ts'
import { streamHandler } from '../../shared/http/lambda/stream.ts'
import { userKeyIdentity } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { sqsQueues } from '../../shared/platform/queues/sqs.ts'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import { routes } from './gate/index.ts'

/** Less than the function lives, so that the client still hears why. */
const patienceMs = 100_000

const config = loadConfig(process.env)
const table = dynamoTable({ tableName: config.TABLE_NAME, endpoint: config.DYNAMODB_ENDPOINT })
const queues = sqsQueues({ urlOf: config.queueUrl, endpoint: config.SQS_ENDPOINT })

// Without the table's limits: all requests come from the router's one address, and none is counted as the client's.
const app = createApp({
  surface: 'backend',
  name: config.FUNCTION_NAME,
  routes,
  services: {
    table,
    queues,
    config,
    patienceMs,
    userKey: userKeyIdentity(table, config.ADMIN_EMAILS),
  },
  settings: config,
})

export const handler = streamHandler(app)
