import { listAgents } from '../agents/list.ts'
import type { Table } from '../platform/table/port.ts'
import { listStreams } from './stream.ts'

/**
 * Who is being watched: each agent with its streams and the lines that were sent to them.
 * @param owner whose agents; undefined for everybody's
 */
export async function activeStreams(table: Table, owner: string | undefined) {
  const [streams, own] = await Promise.all([
    listStreams(table),
    owner === undefined ? undefined : listAgents(table, owner),
  ])
  const mine = own && new Set(own.map(({ id }) => id))
  const seen = streams.filter(({ agentId }) => mine === undefined || mine.has(agentId))
  return [...Map.groupBy(seen, ({ agentId }) => agentId)].map(([agentId, each]) => ({
    agentId,
    clients: each.length,
    lines: each.reduce((sum, { lines }) => sum + lines, 0),
  }))
}
