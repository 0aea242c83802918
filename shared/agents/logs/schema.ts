import * as z from 'zod'
import { countOf } from '#shared/platform/fields.ts'
import { sinceText } from './since.ts'

export const logParams = z.object({ agentId: z.string() })

/** The filter of log lines: contract.md 11, Logs. */
const filter = {
  since: sinceText,
  contains: z
    .string()
    .max(200, 'contains must have at most 200 characters')
    .optional()
    .describe('Only lines that contain this text, case-insensitive'),
}

export const streamQuery = z.object({
  tail: countOf('tail', 50, 1000).describe(
    'Number of past lines to send first; ignored with `since`',
  ),
  ...filter,
})

export const logHistoryQuery = z.object({ limit: countOf('limit', 100, 1000), ...filter })

/** The data of each event `line` of the stream: contract.md 7, Logs. */
export const logEvent = z
  .object({
    type: z.enum(['connected', 'line', 'exit']),
    agentId: z.string(),
    text: z.string().optional(),
    code: z.number().nullable().optional().describe('The exit code; null if unknown'),
  })
  .meta({ id: 'LogEvent' })

export type LogEvent = z.output<typeof logEvent>

export const logHistory = z
  .object({
    agentId: z.string(),
    lines: z.array(z.object({ at: z.string(), text: z.string() })),
    streaming: z.boolean(),
    clients: z.number(),
  })
  .meta({ id: 'LogHistory' })

export const logsStopped = z.object({ success: z.literal(true) })

export const activeStreams = z.object({
  streams: z.array(
    z
      .object({ agentId: z.string(), clients: z.number(), lines: z.number() })
      .meta({ id: 'LogStream' }),
  ),
})
