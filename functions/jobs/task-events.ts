import { taskEvents } from '../../shared/fleet/tasks/topic.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { observeTask } from '../../shared/fleet/watchdog/observe-task.ts'
import { job } from '../common/job.ts'

const config = loadConfig(process.env)
const table = openTable(config)

/** What ECS says of agents' tasks. */
export const handler = job(config, {
  topic: taskEvents,
  handle: ({ queues }, event) => observeTask({ table, queues, settings: config }, event),
})
