import * as z from 'zod'
import { countOf, cursorText } from '#shared/platform/fields.ts'
import { once } from '#shared/platform/once.ts'

/** The kinds of events: contract.md 11. */
const eventKinds = [
  'created',
  'started',
  'stopped',
  'restarted',
  'crashed',
  'repaired',
  'given_up',
  'updated',
  'restored',
  'configured',
  'deleted',
] as const

export type EventKind = (typeof eventKinds)[number]

export const agentEvent = once(() =>
  z
    .object({
      at: z.string(),
      kind: z.enum(eventKinds),
      text: z.string(),
      by: z
        .string()
        .nullable()
        .describe('`user:<id>`, `operator:<id>` or `platform`; null if unknown'),
    })
    .meta({ id: 'AgentEvent' }),
)

export const eventsQuery = once(() =>
  z.object({ limit: countOf('limit', 50, 200), cursor: cursorText() }),
)

export const agentEvents = once(() => z.object({ events: z.array(agentEvent()) }))
