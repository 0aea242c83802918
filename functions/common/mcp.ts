import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Log } from '../../shared/platform/log.ts'

const id = z.union([z.string(), z.number()], { error: 'id must be a string or a number' })

/** A message of JSON-RPC 2.0 that a client sends: a request, a notification, or an answer to a request. */
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

/** A server's answer to a message. */
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
  server: () => McpServer
}

/** Answers one message by a server that is made for it: no client has a session. */
export function serveMcp({ request, message, log, server }: Exchange): Promise<Response> {
  const { url, method, signal } = request
  const headers = new Headers(request.headers)
  headers.set('content-type', 'application/json')
  // RFC 9110, 12.5.1: without it, and by a wildcard, a client takes both forms of an answer. The package wants their names.
  const accept = headers.get('accept') ?? '*/*'
  if (accept.includes('*/*')) headers.set('accept', 'application/json, text/event-stream')
  const handler = createMcpHandler(server, {
    // No tool comes or goes while a client listens, and an HTTP API would hold its stream back.
    maxSubscriptions: 0,
    keepAliveMs: 0,
    onerror: (error) => log.warn('an MCP request was refused', { error }),
  })
  return handler.fetch(new Request(url, { method, headers, signal }), { parsedBody: message })
}
