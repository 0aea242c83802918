import { channels } from '../../shared/notices/channels.ts'
import { deliverNotice } from '../../shared/notices/deliver.ts'
import { notices } from '../../shared/notices/topic.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { job } from '../common/job.ts'

const config = loadConfig(process.env)
const services = { table: openTable(config), channels: channels(config) }

/** Tells people what the watchdog saw and did. */
export const handler = job(config, {
  topic: notices,
  handle: (_, message) => deliverNotice(services, message),
})
