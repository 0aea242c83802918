import { randomHex } from '../platform/crypto.ts'
import { attribute, type Operation, spanKind } from './conventions.ts'

/** A double is told from an integer by its form: `{ double: 1 }`. */
export type Value = string | number | boolean | { double: number }

/** A piece of work that is over. */
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
  /** What went wrong, in few words. */
  error?: string | undefined
}

/** What a span belongs to: its trace, and the span above it where there is one. */
export interface TraceContext {
  traceId: string
  parentSpanId?: string | undefined
}

export const newTraceId = () => randomHex(16)

export const newSpanId = () => randomHex(8)

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/

/** What a caller's `traceparent` says (W3C Trace Context); a trace of its own where it says nothing, or nothing valid. */
export function traceFrom(traceparent: string | null): TraceContext {
  const [, traceId, parentSpanId] = form.exec(traceparent ?? '') ?? []
  return traceId === undefined ? { traceId: newTraceId() } : { traceId, parentSpanId }
}

/** What is sent along with a request, so that what is done for it stands below a span. */
export function traceparentOf({ traceId, spanId }: Pick<Span, 'traceId' | 'spanId'>): string {
  return `00-${traceId}-${spanId}-01`
}

/** A span of an operation: named by it and by what it is done with or by. */
export function spanOf(
  operation: Operation,
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
