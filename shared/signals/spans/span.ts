import { randomHex } from '#shared/platform/crypto.ts'
import { attribute, type SpanOperation, spanKind } from './conventions.ts'

/** A value of an attribute. A double is written as `{ double: 1 }`, to distinguish it from an integer. */
export type Value = string | number | boolean | { double: number }

/** A finished operation. */
export interface Span {
  /** 16 bytes in hex. */
  traceId: string
  /** 8 bytes in hex. */
  spanId: string
  parentSpanId?: string | undefined
  name: string
  kind: (typeof spanKind)[keyof typeof spanKind]
  /** Epoch milliseconds. */
  start: number
  end: number
  attributes: Record<string, Value>
  /** A short description of the error. */
  error?: string | undefined
}

/** The trace of a span, and its parent span, if any. */
export interface TraceContext {
  traceId: string
  parentSpanId?: string | undefined
}

export const newTraceId = () => randomHex(16)

export const newSpanId = () => randomHex(8)

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/

/** Parses a caller's `traceparent` (W3C Trace Context); an absent or invalid one starts a new trace. */
export function traceFrom(traceparent: string | null): TraceContext {
  const [, traceId, parentSpanId] = form.exec(traceparent ?? '') ?? []
  return traceId === undefined ? { traceId: newTraceId() } : { traceId, parentSpanId }
}

/** Returns the header to send with a request, so that its work becomes a child of the span. */
export function traceparentOf({ traceId, spanId }: Pick<Span, 'traceId' | 'spanId'>): string {
  return `00-${traceId}-${spanId}-01`
}

/** Creates the span of an operation, named by the operation and its object. */
export function spanOf(
  operation: SpanOperation,
  {
    of,
    attributes,
    ...span
  }: Omit<Span, 'kind' | 'name' | 'spanId'> & {
    of: string
    spanId?: string
  },
): Span {
  return {
    spanId: newSpanId(),
    ...span,
    name: `${operation} ${of}`,
    kind: operation === 'execute_tool' ? spanKind.internal : spanKind.client,
    attributes: { [attribute.operation]: operation, ...attributes },
  }
}
