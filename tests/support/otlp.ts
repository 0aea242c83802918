// OpenTelemetry's own schema as code, whose declarations do not fit it; releases after 0.215 have no traces in it.
import schema from '@opentelemetry/otlp-transformer/build/src/generated/root.js'

type Json = Record<string, unknown>

/** A message's class as protobufjs makes it. */
interface MessageType {
  fromObject(object: Json): Json
  toObject(message: Json, options: object): Json
  encode(message: Json): { finish(): Uint8Array }
  decode(bytes: Uint8Array): Json
}

const { opentelemetry } = schema as unknown as {
  opentelemetry: {
    proto: { collector: { trace: { v1: { ExportTraceServiceRequest: MessageType } } } }
  }
}
const request = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest

/** OTLP's JSON has these in hex, where protobuf's has bytes in base64. */
const ids = new Set(['traceId', 'spanId', 'parentSpanId'])

/**
 * What a collector that reads OTLP's JSON makes of a request, as the same JSON: fields that the schema does not have, or not with
 * such a value, are gone or changed.
 */
export function asCollectorReads(text: string): unknown {
  const given = JSON.parse(text, (key, value: unknown) =>
    ids.has(key) ? Buffer.from(String(value), 'hex') : value,
  ) as Json
  const read = request.decode(request.encode(request.fromObject(given)).finish())
  const object = request.toObject(read, { longs: String, bytes: Array })
  return JSON.parse(JSON.stringify(object), (key, value: unknown) =>
    ids.has(key) ? Buffer.from(value as number[]).toString('hex') : value,
  )
}
