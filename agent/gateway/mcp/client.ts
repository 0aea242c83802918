import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { sessionHeader } from '../chat/session-header.ts'
import { callUpstream, readWhole } from '../chat/upstream.ts'
import { jsonIn } from '../http/json.ts'
import { Problem } from '../http/problem.ts'
import type { Settings } from '../settings.ts'
import { headerValue } from './header-value.ts'

/** The MCP version. Its requests do not depend on each other. */
const protocol = '2026-07-28'

/** The timeout, in milliseconds. The platform itself responds within 29 s. */
const timeoutMs = 30_000

const listed = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string().default(''),
      inputSchema: z.record(z.string(), z.unknown()),
    }),
  ),
})

export type OwnTool = z.output<typeof listed>['tools'][number]

const called = z.object({
  content: z.array(z.looseObject({ text: z.string().default('') })),
  isError: z.boolean().default(false),
})

const answered = z.union([
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ error: z.looseObject({ message: z.string() }) }),
])

/** The client of the platform's tools, or of a connection's. It uses the agent's own key, which reaches no other agent. */
export class Mcp {
  readonly #ai: Settings['ai']

  /** @param on `timeoutMs` replaces the time for the platform’s own tools */
  constructor(on: { ai: Settings['ai']; mcp: URL; timeoutMs?: number }) {
    this.#ai = { ...on.ai, baseUrl: on.mcp, timeoutMs: on.timeoutMs ?? timeoutMs }
  }

  /** @throws Problem if the platform does not respond, or the agent may use no tools */
  async list(signal: AbortSignal): Promise<OwnTool[]> {
    return listed.parse(await this.#ask('tools/list', {}, signal)).tools
  }

  /**
   * Calls a tool once. There is no retry after a lost response, because the call may have effects.
   * @returns the result as text; `isError` if the tool refuses
   * @throws Problem if the platform does not respond or has no such tool
   */
  async call(
    name: string,
    input: unknown,
    { signal, session }: { signal: AbortSignal; session: string | undefined },
  ): Promise<{ text: string; isError: boolean }> {
    const params = { name, arguments: input }
    const result = await this.#ask('tools/call', params, signal, sessionHeader(session))
    const parsed = called.safeParse(result).data
    if (parsed === undefined)
      throw new Problem(502, 'tools_unavailable', 'The tool’s response cannot be read')
    const { content, isError } = parsed
    return { text: content.map(({ text }) => text).join('\n'), isError }
  }

  async #ask(
    method: string,
    params: { name?: string; arguments?: unknown },
    signal: AbortSignal,
    headers: Record<string, string> = {},
  ) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': protocol,
      'io.modelcontextprotocol/clientInfo': { name: 'agent-gateway', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const answer = await callUpstream(this.#ai, {
      method: 'POST',
      path: '',
      headers: {
        ...headers,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': protocol,
        'mcp-method': method,
        ...(params.name !== undefined && { 'mcp-name': headerValue(params.name) }),
      },
      body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
      requestId: randomUUID(),
      signal,
    })
    const parsed = answered.safeParse(jsonIn(String(await readWhole(answer)))).data
    if (parsed !== undefined && 'result' in parsed) return parsed.result
    const message = parsed?.error.message ?? `The platform’s tools responded with ${answer.status}`
    throw new Problem(502, 'tools_unavailable', message)
  }
}
