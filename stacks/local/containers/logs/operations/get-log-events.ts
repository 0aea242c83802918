import * as z from 'zod'
import { Fault } from '../../wire/fault.ts'
import { operation } from '../../wire/operation.ts'
import { type LogPart, type Place, readFrom, readLast } from '../read.ts'

/** The API's own limits of one answer. */
const mostEvents = 10_000
const mostBytes = 1024 * 1024

const forward = /^f\/(\d{1,10})\.(\d{1,10})$/

const schema = z.object({
  logGroupName: z.string(),
  /** `<prefix>/<container>/<task id>`, as the awslogs driver names it. */
  logStreamName: z.string(),
  nextToken: z.string().regex(forward, 'The specified nextToken is invalid.').optional(),
  startFromHead: z.boolean().default(false),
  limit: z.number().int().min(1).max(mostEvents).default(mostEvents),
})

/**
 * A task's output as events: forward from a token or from the beginning, or else its last ones. Its tokens go forward
 * only, and a token asked for again is answered with the same events first.
 */
export const getLogEvents = operation(schema, async ({ dir }, input) => {
  const taskId = input.logStreamName.slice(input.logStreamName.lastIndexOf('/') + 1)
  const part =
    input.nextToken === undefined && !input.startFromHead
      ? await readLast(dir, taskId, input.limit)
      : await readFrom(dir, taskId, placeOf(input.nextToken), {
          lines: input.limit,
          bytes: mostBytes,
        })
  if (part === undefined)
    throw new Fault('ResourceNotFoundException', 'The specified log stream does not exist.')
  return answer(part)
})

function placeOf(token: string | undefined): Place | undefined {
  const [, segment, offset] = forward.exec(token ?? '') ?? []
  return segment === undefined ? undefined : { segment: Number(segment), offset: Number(offset) }
}

function answer({ lines, next }: LogPart) {
  const token = `${next.segment}.${next.offset}`
  return {
    events: lines.map(({ at, text }) => {
      const timestamp = Date.parse(at)
      return { timestamp, ingestionTime: timestamp, message: text }
    }),
    nextForwardToken: `f/${token}`,
    nextBackwardToken: `b/${token}`,
  }
}
