import * as z from 'zod'
import { webhookUrl } from '#shared/agents/record/config/values.ts'
import { headerName, sendingHeaders } from '#shared/platform/http-client/header-names.ts'

const name = z
  .string()
  .max(128, 'must be names of headers')
  .regex(headerName, 'must be names of headers')
/** RFC 9110: no control characters. */
const headerValue = z
  .string()
  .max(4096)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be values of headers')

/** Headers that the platform sets itself, and headers of the connection. */
const reserved = new Set([...sendingHeaders, 'content-type'])

/** contract.md 11, Traces out. */
export const newTelemetry = z
  .object({
    otlpUrl: webhookUrl.nullable().describe('The URL of the collector; null disables telemetry'),
    headers: z
      .record(name, headerValue)
      .refine((values) => Object.keys(values).length <= 20, 'headers must have at most 20 entries')
      .refine(
        (values) => Object.keys(values).every((name) => !reserved.has(name.toLowerCase())),
        'headers must not contain headers that the platform sets',
      )
      .default({})
      .describe('Sent with every request; never returned'),
    content: z.boolean().default(false).describe('True if spans include prompts and answers'),
  })
  .meta({ id: 'NewTelemetry' })

export const telemetryView = z
  .object({
    otlpUrl: z.string().nullable(),
    headers: z.array(z.string()).describe('Names of the headers'),
    content: z.boolean(),
  })
  .meta({ id: 'Telemetry' })

export const telemetryTest = z
  .object({
    ok: z.boolean(),
    status: z
      .number()
      .nullable()
      .describe('The status code of the collector; null if it did not respond'),
  })
  .meta({ id: 'TelemetryTest' })

export type NewTelemetry = z.output<typeof newTelemetry>
export type TelemetryView = z.output<typeof telemetryView>
