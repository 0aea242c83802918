import {
  createMcpHandler,
  INVALID_PARAMS,
  isInitializeRequest,
  type McpServer,
  type Server,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Log } from '#shared/platform/log.ts'

const id = z.union([z.string(), z.number()], { error: 'id must be a string or a number' })

/** A JSON-RPC 2.0 message of a client: a request, a notification, or a response. */
export const jsonRpcMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0', { error: 'jsonrpc must be "2.0"' }),
    id: id.optional(),
    method: z.string({ error: 'method must be a string' }).optional(),
    params: z.looseObject({}, { error: 'params must be an object' }).optional(),
  })
  .refine(
    (message) => message.method !== undefined || 'result' in message || 'error' in message,
    'method required',
  )
  .meta({ id: 'JsonRpcMessage' })

/** A server's response to a message. */
export const jsonRpcAnswer = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: id.nullable().optional(),
  })
  .meta({ id: 'JsonRpcAnswer' })

interface Exchange {
  request: Request
  message: z.output<typeof jsonRpcMessage>
  log: Log
  server: () => McpServer | Server
}

/** Handles one message with a new server. There are no MCP sessions. */
export async function serveMcp({ request, message, log, server }: Exchange): Promise<Response> {
  // The package would report an internal error, with the details of its schema.
  if (message.method === 'initialize' && message.id !== undefined && !isInitializeRequest(message))
    return Response.json({
      jsonrpc: '2.0',
      id: message.id,
      error: { code: INVALID_PARAMS, message: 'The params of initialize are not valid' },
    })
  const { url, method, signal } = request
  const headers = new Headers(request.headers)
  headers.set('content-type', 'application/json')
  // The package requires the names of both response types in this header. A client without the header or with a
  // wildcard accepts both (RFC 9110, section 12.5.1).
  const accept = headers.get('accept') ?? '*/*'
  if (accept.includes('*/*')) headers.set('accept', 'application/json, text/event-stream')
  const handler = createMcpHandler(server, {
    // Tools do not change while a client listens, and an HTTP API would buffer the stream.
    maxSubscriptions: 0,
    keepAliveMs: 0,
    onerror: (error) => log.warn('an MCP request was refused', { error }),
  })
  return handler.fetch(new Request(url, { method, headers, signal }), { parsedBody: message })
}
