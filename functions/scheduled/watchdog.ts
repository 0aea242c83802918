import { loadConfig } from '../../shared/platform/config/load.ts'
import { createLog } from '../../shared/platform/log.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { tick } from '../../shared/fleet/watchdog/tick.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const queues = openQueues(config)
const log = createLog({ function: config.FUNCTION_NAME })

/** Every minute: finds the agents that something is due for. */
export async function handler(): Promise<void> {
  const started = performance.now()
  const round = await tick({ table, queues, log })
  log.info('watchdog tick', { ...round, ms: Math.round(performance.now() - started) })
}
