/** The headers of W3C Trace Context, which are forwarded with calls for a request. */
export interface TraceHeaders {
  traceparent?: string
  tracestate?: string
}

/** Longer values are dropped, as W3C Trace Context allows. A traceparent has 55 characters, a tracestate up to 512. */
const longest = 512

/** Returns the trace headers of a request, except those that are too long. */
export function traceHeaders(headers: Headers): TraceHeaders {
  const found = (['traceparent', 'tracestate'] as const).flatMap((name) => {
    const value = headers.get(name)
    return value === null || value.length > longest ? [] : [[name, value]]
  })
  return Object.fromEntries(found) as TraceHeaders
}
