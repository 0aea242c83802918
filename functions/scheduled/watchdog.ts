import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { tick as tickWatchdog } from '../../shared/fleet/watchdog/tick.ts'
import { tick } from '../common/tick.ts'

const config = loadConfig(process.env)
const table = openTable(config)

/** Every minute: finds the agents that something is due for. */
export const handler = tick(config, 'watchdog tick', (ctx) => tickWatchdog({ ...ctx, table }))
