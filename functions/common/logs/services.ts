import type { Pace } from '#shared/agents/logs/context.ts'
import { sharedReads } from '#shared/agents/logs/share.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { cloudwatchLogs } from '#shared/platform/logs/cloudwatch.ts'
import type { Table } from '#shared/platform/table/port.ts'

export interface StreamsLogs {
  /** Signs the event ids that resume streams. */
  key: string | undefined
  pace: Pace
  /**
   * The longest duration of a stream, in milliseconds. Below the function's timeout, so that the stream ends cleanly.
   */
  lastsMs: number
}

/** Creates the services of the log routes of both surfaces. */
export function logServices(
  table: Table,
  config: Pick<Settings, 'AGENT_LOG_GROUP' | 'LOGS_ENDPOINT'> & { deployed: boolean },
  key: string | undefined,
): Pick<Context, 'table'> & Can<'logs'> & StreamsLogs {
  const { AGENT_LOG_GROUP: logGroup, LOGS_ENDPOINT: endpoint } = config
  return {
    table,
    logs: sharedReads(cloudwatchLogs({ logGroup, endpoint })),
    key,
    // The awslogs driver delivers lines every few seconds. The local engine delivers them immediately.
    pace: config.deployed
      ? { settle: 10_000, longestWait: 2000 }
      : { settle: 200, longestWait: 250 },
    lastsMs: 840_000,
  }
}
