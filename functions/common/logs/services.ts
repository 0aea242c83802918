import type { LogContext, Pace } from '../../../shared/logs/context.ts'
import { sharedReads } from '../../../shared/logs/share.ts'
import type { Settings } from '../../../shared/platform/config/settings.ts'
import { cloudwatchLogs } from '../../../shared/platform/logs/cloudwatch.ts'
import type { Table } from '../../../shared/platform/table/port.ts'

export interface LogServices extends LogContext {
  /** Signs the ids by which streams are resumed. */
  key: string | undefined
  pace: Pace
  /** How long a stream may last, in milliseconds: less than its function lives, so that it ends cleanly. */
  lastsMs: number
}

/** What the groups of both surfaces that read agents' logs stand on. */
export function logServices(
  table: Table,
  config: Pick<Settings, 'AGENT_LOG_GROUP' | 'LOGS_ENDPOINT'> & { deployed: boolean },
  key: string | undefined,
): LogServices {
  const { AGENT_LOG_GROUP: logGroup, LOGS_ENDPOINT: endpoint } = config
  return {
    table,
    logs: sharedReads(cloudwatchLogs({ logGroup, endpoint })),
    key,
    // The awslogs driver hands lines over every few seconds; one machine's engine at once.
    pace: config.deployed
      ? { settle: 10_000, longestWait: 2000 }
      : { settle: 200, longestWait: 250 },
    lastsMs: 840_000,
  }
}
