import type { Agent } from '../../shared/agents/agent.ts'
import { tendWorkspace } from '../../shared/agents/workspace/tend.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { sqsQueues } from '../../shared/platform/queues/sqs.ts'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import { CheckMessage } from '../../shared/watchdog/messages.ts'
import { checkAgents } from '../../shared/watchdog/check-all.ts'

const config = loadConfig(process.env)
const table = dynamoTable({ tableName: config.TABLE_NAME, endpoint: config.DYNAMODB_ENDPOINT })
const queues = sqsQueues({ urlOf: config.queueUrl, endpoint: config.SQS_ENDPOINT })
const services = { table, encryptionKey: config.WALLET_ENCRYPTION_KEY }

/** The watchdog's steps: health checks, repairs, and what was lost on its way. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: CheckMessage,
  handle: ({ agents }, { log }) => {
    const tend = (agent: Agent) => tendWorkspace({ ...services, log }, agent)
    return checkAgents({ table, queues, settings: config, tend }, agents)
  },
  queueUrl: config.queueUrl('checks'),
  endpoint: config.SQS_ENDPOINT,
})
