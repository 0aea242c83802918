import { createApp } from '../../shared/http/app.ts'
import { streamHandler } from '../../shared/http/lambda/stream.ts'
import { sharedReads } from '../../shared/logs/share.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { cloudwatchLogs } from '../../shared/platform/logs/cloudwatch.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './logs/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)

export const handler = streamHandler(
  createApp({
    surface: 'backend',
    name: config.FUNCTION_NAME,
    routes,
    services: {
      table,
      logs: sharedReads(
        cloudwatchLogs({ logGroup: config.AGENT_LOG_GROUP, endpoint: config.LOGS_ENDPOINT }),
      ),
      // Nobody gets as far as a stream without it.
      key: config.INTERNAL_API_KEY ?? '',
      // The awslogs driver hands lines over every few seconds; one machine's engine at once.
      pace: config.deployed
        ? { settle: 10_000, longestWait: 2000 }
        : { settle: 200, longestWait: 250 },
      lastsMs: 840_000,
    },
    settings: config,
    table,
  }),
)
