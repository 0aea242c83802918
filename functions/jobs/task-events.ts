import { taskEvent } from '../../shared/agents/tasks/event.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { sqsQueues } from '../../shared/platform/queues/sqs.ts'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import { observeTask } from '../../shared/watchdog/observe-task.ts'

const config = loadConfig(process.env)
const table = dynamoTable({ tableName: config.TABLE_NAME, endpoint: config.DYNAMODB_ENDPOINT })
const queues = sqsQueues({ urlOf: config.queueUrl, endpoint: config.SQS_ENDPOINT })

/** What ECS says of agents' tasks. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: taskEvent,
  handle: (event) => observeTask({ table, queues, settings: config }, event),
  queueUrl: config.queueUrl('task-events'),
  endpoint: config.SQS_ENDPOINT,
})
