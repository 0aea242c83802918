import * as z from 'zod'
import { countOf } from '../platform/fields.ts'

export const logParams = z.object({ agentId: z.string() })

export const streamQuery = z.object({
  /** Lines of the past that a stream begins with. */
  tail: countOf('tail', 50, 1000),
})

export const historyQuery = z.object({ limit: countOf('limit', 100, 1000) })

/** contract.md 7, Logs: what each event `line` of the stream carries. */
export const logEvent = z
  .object({
    type: z.enum(['connected', 'line', 'exit']),
    agentId: z.string(),
    text: z.string().optional(),
    code: z.number().nullable().optional().describe('The exit code; null where it is unknown'),
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
