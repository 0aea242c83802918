// OpenTelemetry's generated schema, whose type declarations do not match it. Releases after 0.215 omit traces.
import schema from '@opentelemetry/otlp-transformer/build/src/generated/root.js'

type Json = Record<string, unknown>

/** A class of a message, as protobufjs generates it. */
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

/** OTLP's JSON has these in hex; protobuf's JSON has bytes in base64. */
const ids = new Set(['traceId', 'spanId', 'parentSpanId'])

/**
 * Decodes a request as a collector of OTLP's JSON does, and encodes it again. Unknown fields and invalid values are
 * dropped or changed.
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
