import type { Client } from '@modelcontextprotocol/client'
import * as backend from '#functions/backend/connections.ts'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { createApp } from '#shared/http/app.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { keptDialects } from '#shared/tools/connections/server/dialects.ts'
import { connectClient, type eras } from '../http/mcp-client.ts'
import { lostQueues } from '../platform/context.ts'
import { type ConnectionOptions, connectionsOver } from './connections.ts'

/** Starts the routes of connections of both surfaces over a table, as one process. */
export function agentConnectionsOver(table: Table, options: ConnectionOptions = {}) {
  const web = connectionsOver(table, options)
  const app = createApp({
    surface: 'backend',
    name: 'backend-connections',
    routes: backend.routes,
    services: { ...web.services, queues: lostQueues, dialects: keptDialects() },
    settings: {},
    identity: { agentKey: agentKeyIdentity(table) },
    table,
  })
  const fetch: typeof globalThis.fetch = async (url, init) =>
    app.request(url instanceof Request ? url : String(url), init)
  return {
    ...web,
    app,
    /** Connects the official client with an agent's key, as a container does. */
    connect: (key: string, name = 'notes', era: (typeof eras)[number] = 'today') =>
      connectClient(`http://backend.test/connections/${name}/mcp`, key, { era, fetch }),
    /** Creates a connection without a sign-in, and allows tools. */
    async keep(session: string, agentId: string, url: string, allow: readonly string[]) {
      const body = { name: 'notes', url }
      const created = await web.ask('POST', `${agentId}/connections`, session, body)
      if (created.status !== 201) throw new Error(JSON.stringify(created))
      return this.allow(session, agentId, allow)
    },
    async allow(session: string, agentId: string, allow: readonly string[]) {
      const path = `${agentId}/connections/notes`
      const changed = await web.ask('PATCH', path, session, { tools: { allow } })
      if (changed.status !== 200) throw new Error(JSON.stringify(changed))
      return changed.body
    },
    /** Returns an agent's connection and requests as its owner sees them. */
    async seen(session: string, agentId: string) {
      const { body } = await web.ask('GET', `${agentId}/connections`, session)
      const requests = await web.ask('GET', `${agentId}/connection-requests`, session)
      return {
        connection: (body['connections'] as Record<string, unknown>[])[0],
        requests: requests.body['requests'] as Record<string, unknown>[],
      }
    },
  }
}

/** Calls a tool. @returns the texts of its result, and whether it is an error */
export async function callTool(client: Client, name: string, input: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: input })
  const texts = (content as { text?: string }[]).map(({ text = '' }) => text)
  return { text: texts.join('\n'), isError: isError === true }
}
