import {
  CloudWatchLogsClient,
  GetLogEventsCommand,
  type GetLogEventsCommandInput,
  InvalidParameterException,
  ResourceNotFoundException,
} from '@aws-sdk/client-cloudwatch-logs'
import { containerName } from '#shared/manifest/containers.ts'
import { isoOf } from '../times.ts'
import { type ContainerLogs, type LogPage, PlaceUnknown, timeOfPlace } from './port.ts'

export interface CloudWatchOptions {
  logGroup: string
  endpoint?: string | undefined
}

/**
 * The awslogs driver names a stream `<prefix>/<container>/<task id>`; stacks/containers.ts uses the container's
 * name for both.
 */
const streamPrefix = `${containerName}/${containerName}`

/** Readers hold one page in memory; without a limit the API returns up to 10,000 lines. */
const pageLines = 2000

function placeOf(from: string): Pick<GetLogEventsCommandInput, 'nextToken' | 'startTime'> {
  const startTime = timeOfPlace(from)
  return startTime === undefined ? { nextToken: from } : { startTime }
}

/** The log port over CloudWatch Logs. */
export function cloudwatchLogs({ logGroup, endpoint }: CloudWatchOptions): ContainerLogs {
  // An account may read 25 times a second, all readers together: clients that reach the limit slow down by
  // themselves.
  const client = new CloudWatchLogsClient({
    retryMode: 'adaptive',
    ...(endpoint !== undefined && { endpoint }),
  })

  async function get(
    taskId: string,
    rest: Omit<GetLogEventsCommandInput, 'logGroupName' | 'logStreamName'>,
  ): Promise<LogPage | undefined> {
    try {
      const {
        events = [],
        nextForwardToken = '',
        nextBackwardToken,
      } = await client.send(
        new GetLogEventsCommand({
          logGroupName: logGroup,
          logStreamName: `${streamPrefix}/${taskId}`,
          ...rest,
        }),
      )
      const lines = events.map(({ timestamp = 0, message = '' }) => ({
        at: isoOf(timestamp),
        text: message,
      }))
      // At the beginning of the log, CloudWatch returns the token of the request.
      const isFirst = nextBackwardToken === rest.nextToken
      return { lines, next: nextForwardToken, ...(!isFirst && { previous: nextBackwardToken }) }
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined
      if (error instanceof InvalidParameterException && rest.nextToken !== undefined)
        throw new PlaceUnknown('the place is not known', { cause: error })
      throw error
    }
  }

  return {
    read: (taskId, from) =>
      get(taskId, {
        startFromHead: true,
        limit: pageLines,
        ...(from !== undefined && placeOf(from)),
      }),
    last: (taskId, limit, before) =>
      get(taskId, { limit, ...(before !== undefined && { nextToken: before }) }),
  }
}
