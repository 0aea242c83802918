import {
  CloudWatchLogsClient,
  GetLogEventsCommand,
  type GetLogEventsCommandInput,
  InvalidParameterException,
  ResourceNotFoundException,
} from '@aws-sdk/client-cloudwatch-logs'
import { containerName } from '#shared/manifest/containers.ts'
import { isoOf } from '../times.ts'
import { type ContainerLogs, type LogPage, UnknownPosition, timeOfPosition } from './port.ts'

export interface CloudWatchOptions {
  logGroup: string
  endpoint?: string | undefined
}

/**
 * The awslogs driver names a stream `<prefix>/<container>/<task id>`; stacks/containers.ts uses the container's
 * name for both.
 */
const streamPrefix = `${containerName}/${containerName}`

/** The number of lines in a page, which is in memory as a whole. Without a limit the API returns up to 10,000 lines. */
const pageLines = 2000

function placeOf(from: string): Pick<GetLogEventsCommandInput, 'nextToken' | 'startTime'> {
  const startTime = timeOfPosition(from)
  return startTime === undefined ? { nextToken: from } : { startTime }
}

/** The log port over CloudWatch Logs. */
export function cloudwatchLogs({ logGroup, endpoint }: CloudWatchOptions): ContainerLogs {
  // All readers of an account together may read 25 times a second, so the client slows down when it reaches the limit.
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
        throw new UnknownPosition('the position is unknown', { cause: error })
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
