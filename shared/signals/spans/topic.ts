import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

const value = () => z.union([z.string(), z.number(), z.boolean(), z.object({ double: z.number() })])

const span = () =>
  z.object({
    traceId: z.string(),
    spanId: z.string(),
    parentSpanId: z.string().optional(),
    name: z.string(),
    kind: z.union([z.literal(1), z.literal(3)]),
    start: z.number(),
    end: z.number(),
    attributes: z.record(z.string(), value()),
    error: z.string().optional(),
  })

/** Finished spans for their user's collector. */
export const telemetry = topic('telemetry', () =>
  z.object({ userId: z.string(), spans: z.array(span()) }),
)

export type TelemetryWork = MessageOf<typeof telemetry>
