import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { tick as tickSchedules } from '../../shared/scheduled-tasks/tick.ts'
import { tick } from '../common/tick.ts'

const config = loadConfig(process.env)
const table = openTable(config)

/** Every minute: claims the scheduled tasks that are due and sends their runs. */
export const handler = tick(config, 'schedules tick', (ctx) => tickSchedules({ ...ctx, table }))
