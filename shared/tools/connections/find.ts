import type * as z from 'zod'
import { type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { connectionRows, type connectionToolRows } from './rows.ts'

export type Connection = z.output<ReturnType<(typeof connectionRows)['declared']['schema']>>

export type KeptTools = z.output<ReturnType<(typeof connectionToolRows)['declared']['schema']>>

export type KeptTool = KeptTools['tools'][number]

/** Returns an agent's connection, read consistently. @throws PlatformError 404 */
export async function requireConnection(
  table: Pick<Table, 'get'>,
  agent: AgentRef,
  name: string,
): Promise<Connection> {
  const { agentId } = agent
  const found = await connectionRows.find(
    table,
    { userId: ownerOf(agent), agentId, name },
    { consistent: true },
  )
  if (found === undefined) throw notFound('Connection')
  return found
}
