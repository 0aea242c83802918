import type { Table } from '../../platform/table/port.ts'
import { type Agent, ownerOf, subdomainKey } from '../agent.ts'
import { findAgent } from '../find.ts'

/** The agent that answers under a subdomain: two reads, one where there is none. */
export async function agentAt(table: Table, subdomain: string): Promise<Agent | undefined> {
  const row = await table.get(subdomainKey(subdomain))
  if (row === undefined) return undefined
  const owner = ownerOf({ userId: row.userId as string | null })
  return findAgent(table, String(row.agentId), owner)
}
