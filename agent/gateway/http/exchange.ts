import type { IncomingMessage, ServerResponse } from 'node:http'

/** One request and its answer, as the routes see it. */
export type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  /** The path's variable segments in order, decoded. */
  params: readonly string[]
  /** Aborted when the caller goes away or the gateway must stop before the answer is whole. */
  signal: AbortSignal
}

export type Handler = (exchange: Exchange) => Promise<void>

/** Answers with a JSON body. */
export function sendJson(
  { response }: Pick<Exchange, 'response'>,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}
