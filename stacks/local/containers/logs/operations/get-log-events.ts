import * as z from 'zod'
import { Fault } from '#stacks/local/containers/wire/fault.ts'
import { operation } from '#stacks/local/containers/wire/operation.ts'
import { type LogPart, type LogPosition, readFrom, readLast, readSince } from '../read.ts'

/** The limits of one response in the API. */
const maxEvents = 10_000
const maxBytes = 1024 * 1024

const tokens = /^([fb])\/(\d{1,10})\.(\d{1,10})$/

const schema = z.object({
  logGroupName: z.string(),
  /** `<prefix>/<container>/<task id>`, the format of the awslogs driver. */
  logStreamName: z.string(),
  nextToken: z.string().regex(tokens, 'The specified nextToken is invalid.').optional(),
  /** Epoch milliseconds; ignored with a token. */
  startTime: z.number().int().min(0).optional(),
  startFromHead: z.boolean().default(false),
  limit: z.number().int().min(1).max(maxEvents).default(maxEvents),
})

/**
 * Returns a task's output as events: after or before a token, from a time, from the beginning, or the last events. Events
 * stay stable: a repeated request returns the same events first.
 */
export const getLogEvents = operation(schema, async ({ dir }, input) => {
  const taskId = input.logStreamName.slice(input.logStreamName.lastIndexOf('/') + 1)
  const part = await partOf(dir, taskId, input)
  if (part === undefined)
    throw new Fault('ResourceNotFoundException', 'The specified log stream does not exist.')
  return answer(part)
})

function partOf(dir: string, taskId: string, input: z.output<typeof schema>) {
  const { limit: lines, nextToken, startTime, startFromHead } = input
  const most = { lines, bytes: maxBytes }
  const [, direction, segment, offset] = tokens.exec(nextToken ?? '') ?? []
  const place = { segment: Number(segment), offset: Number(offset) }
  if (direction === 'b') return readLast(dir, taskId, lines, place)
  if (direction === 'f') return readFrom(dir, taskId, place, most)
  if (!startFromHead) return readLast(dir, taskId, lines)
  if (startTime !== undefined) return readSince(dir, taskId, startTime, most)
  return readFrom(dir, taskId, undefined, most)
}

const tokenOf = ({ segment, offset }: LogPosition) => `${segment}.${offset}`

function answer({ lines, first, next }: LogPart) {
  return {
    events: lines.map(({ at, text }) => {
      const timestamp = Date.parse(at)
      return { timestamp, ingestionTime: timestamp, message: text }
    }),
    nextForwardToken: `f/${tokenOf(next)}`,
    nextBackwardToken: `b/${tokenOf(first)}`,
  }
}
