import { loadConfig } from '../../shared/platform/config/load.ts'
import { createLog } from '../../shared/platform/log.ts'
import { sqsQueues } from '../../shared/platform/queues/sqs.ts'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import { tick } from '../../shared/watchdog/tick.ts'

const config = loadConfig(process.env)
const table = dynamoTable({ tableName: config.TABLE_NAME, endpoint: config.DYNAMODB_ENDPOINT })
const queues = sqsQueues({ urlOf: config.queueUrl, endpoint: config.SQS_ENDPOINT })
const log = createLog({ function: config.FUNCTION_NAME })

/** Every minute: finds the agents that something is due for. */
export async function handler(): Promise<void> {
  const started = performance.now()
  const round = await tick({ table, queues, log })
  log.info('watchdog tick', { ...round, ms: Math.round(performance.now() - started) })
}
