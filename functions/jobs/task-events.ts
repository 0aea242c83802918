import { taskEvent } from '../../shared/fleet/tasks/event.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { observeTask } from '../../shared/fleet/watchdog/observe-task.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const queues = openQueues(config)

/** What ECS says of agents' tasks. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: taskEvent,
  handle: (event) => observeTask({ table, queues, settings: config }, event),
  queueUrl: config.queueUrl('task-events'),
  endpoint: config.SQS_ENDPOINT,
})
