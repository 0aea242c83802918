import { loadConfig } from '../../shared/platform/config/load.ts'
import { createLog } from '../../shared/platform/log.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { tick } from '../../shared/scheduled-tasks/tick.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const queues = openQueues(config)
const log = createLog({ function: config.FUNCTION_NAME })

/** Every minute: claims the scheduled tasks that are due and sends their runs. */
export async function handler(): Promise<void> {
  const started = performance.now()
  const { sent } = await tick({ table, queues, log })
  log.info('schedules tick', { sent, ms: Math.round(performance.now() - started) })
}
