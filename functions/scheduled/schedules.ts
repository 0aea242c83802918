import { loadConfig } from '../../shared/platform/config/load.ts'
import { createLog } from '../../shared/platform/log.ts'
import { sqsQueues } from '../../shared/platform/queues/sqs.ts'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import { tick } from '../../shared/scheduled-tasks/tick.ts'

const config = loadConfig(process.env)
const table = dynamoTable({ tableName: config.TABLE_NAME, endpoint: config.DYNAMODB_ENDPOINT })
const queues = sqsQueues({ urlOf: config.queueUrl, endpoint: config.SQS_ENDPOINT })
const log = createLog({ function: config.FUNCTION_NAME })

/** Every minute: claims the scheduled tasks that are due and sends their runs. */
export async function handler(): Promise<void> {
  const started = performance.now()
  const { sent } = await tick({ table, queues, log })
  log.info('schedules tick', { sent, ms: Math.round(performance.now() - started) })
}
