import { schemaUrl, scopeName } from '#shared/signals/spans/conventions.ts'
import type { Span, Value } from '#shared/signals/spans/span.ts'

/**
 * The body of a request to `/v1/traces` in OTLP's JSON: names in lowerCamelCase, ids in hex, 64-bit integers as decimal
 * strings, enums as integers (opentelemetry-proto, docs/specification.md, JSON Protobuf Encoding).
 */
export function exportRequest(spans: readonly Span[]) {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': scopeName }) },
        scopeSpans: [{ scope: { name: scopeName }, spans: spans.map(toOtlp), schemaUrl }],
        schemaUrl,
      },
    ],
  }
}

const statusCode = { unset: 0, error: 2 } as const

function toOtlp({ start, end, attributes, error, parentSpanId, ...span }: Span) {
  return {
    ...span,
    ...(parentSpanId !== undefined && { parentSpanId }),
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(Math.max(start, end)),
    attributes: attributesOf(attributes),
    status:
      error === undefined ? { code: statusCode.unset } : { code: statusCode.error, message: error },
  }
}

/** Converts milliseconds, with their fraction, to nanoseconds. */
function nanos(ms: number): string {
  const whole = Math.floor(ms)
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1_000_000)))
}

function attributesOf(attributes: Readonly<Record<string, Value>>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toAny(value) }))
}

function toAny(value: Value) {
  if (typeof value === 'string') return { stringValue: value.toWellFormed() }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'object') return { doubleValue: value.double }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
