import type { Table } from '../platform/table/port.ts'
import { type Agent, ownerOf } from '../agents/agent.ts'
import { findAgent } from '../agents/find.ts'
import { subdomainRows } from '../agents/rows.ts'

/** The agent that answers under a subdomain: two reads, one where there is none. */
export async function agentAt(table: Table, subdomain: string): Promise<Agent | undefined> {
  const row = await table.get(subdomainRows.key({ subdomain }))
  if (row === undefined) return undefined
  const { agentId, userId } = subdomainRows.parse(row)
  return findAgent({ table }, { agentId, owner: ownerOf({ userId }) })
}
