import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import {
  createMcpHandler,
  fromJsonSchema,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { startTlsServer } from '../http/tls-server.ts'

/** A tool of the server that a test chooses. */
export interface PlayedTool {
  description?: string
  inputSchema?: Record<string, unknown>
  readOnly?: boolean
  /** Returns the text of the result, or the whole result. */
  call?: (input: Record<string, unknown>, request: Request) => unknown
}

/** `stateless`: only the MCP version without a handshake; `sessions`: only earlier ones, with sessions; `both`. */
export type ServerEra = 'stateless' | 'sessions' | 'both'

export interface PlayedServer {
  era: ServerEra
  tools: Record<string, PlayedTool>
  /** Answers a request in place of the server if it returns a response. */
  before?: ((request: Request) => Promise<Response | undefined> | Response | undefined) | undefined
}

/** Starts an MCP server of the protocol's official package over HTTPS, as its operator would. */
export async function startMcpServer(played: PlayedServer) {
  const seen: { method: string; headers: Headers; body: string }[] = []
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const create = (request: Request) => serverOf(played.tools, request)

  const withSessions = async (request: Request): Promise<Response> => {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : sessions.get(id)
    if (known !== undefined) return known.handleRequest(request)
    if (id !== null) return new Response('unknown session', { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    })
    await create(request).connect(transport)
    return transport.handleRequest(request)
  }

  const answer = async (request: Request): Promise<Response> => {
    const body = await request.clone().text()
    seen.push({ method: methodIn(body), headers: request.headers, body })
    const own = await played.before?.(request)
    if (own !== undefined) return own
    if (played.era === 'sessions') return withSessions(request)
    if (played.era === 'stateless' && (await isLegacyRequest(request.clone())))
      return Response.json({ error: 'unsupported version' }, { status: 400 })
    return createMcpHandler(() => create(request)).fetch(request)
  }
  const listener = getRequestListener(answer)
  const server = await startTlsServer((request: IncomingMessage, response: ServerResponse) => {
    void listener(request, response)
  })
  const host = `localhost:${server.port}`
  return {
    ...server,
    host,
    url: `https://${host}/mcp`,
    played,
    /** The requests that arrived. */
    seen,
    methods: () => seen.map(({ method }) => method),
    endSessions: () => sessions.clear(),
  }
}

function serverOf(tools: Record<string, PlayedTool>, request: Request): McpServer {
  const server = new McpServer({ name: 'played', version: '1.0.0' })
  for (const [name, tool] of Object.entries(tools))
    server.registerTool(
      name,
      {
        description: tool.description ?? '',
        inputSchema: fromJsonSchema<Record<string, unknown>>(
          tool.inputSchema ?? { type: 'object' },
        ),
        annotations: { readOnlyHint: tool.readOnly === true },
      },
      async (input) => {
        const given = await tool.call?.(input, request)
        return typeof given === 'object' && given !== null
          ? (given as { content: [] })
          : { content: [{ type: 'text', text: String(given ?? 'done') }] }
      },
    )
  return server
}

function methodIn(body: string): string {
  try {
    return (JSON.parse(body) as { method?: string }).method ?? ''
  } catch {
    return ''
  }
}
