/** The headers of W3C Trace Context, which go from a request on to what is asked for it. */
export interface TraceHeaders {
  traceparent?: string
  tracestate?: string
}

/** Longer ones are left behind, as W3C Trace Context allows; its own form has 55 characters, a state 512. */
const longest = 512

/** Those of a request, without what is too long to go on. */
export function traceHeaders(headers: Headers): TraceHeaders {
  const found = (['traceparent', 'tracestate'] as const).flatMap((name) => {
    const value = headers.get(name)
    return value === null || value.length > longest ? [] : [[name, value]]
  })
  return Object.fromEntries(found) as TraceHeaders
}
