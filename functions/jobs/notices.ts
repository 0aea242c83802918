import { channels } from '../../shared/notices/channels.ts'
import { deliverNotice } from '../../shared/notices/deliver.ts'
import { NoticeMessage } from '../../shared/notices/schema.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { openTable } from '../../shared/platform/table/open.ts'

const config = loadConfig(process.env)
const services = { table: openTable(config), channels: channels(config) }

/** Tells people what the watchdog saw and did. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: NoticeMessage,
  handle: (message) => deliverNotice(services, message),
  queueUrl: config.queueUrl('notices'),
  endpoint: config.SQS_ENDPOINT,
})
