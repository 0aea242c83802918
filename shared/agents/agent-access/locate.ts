import type { Table } from '#shared/platform/table/port.ts'
import { type Agent, ownerOf } from '../record/agent.ts'
import { findAgent } from '../record/find.ts'
import { subdomainRows } from '../record/rows.ts'

/** Returns the agent of a subdomain, with two reads, or one if there is no agent. */
export async function agentAt(table: Table, subdomain: string): Promise<Agent | undefined> {
  const row = await table.get(subdomainRows.key({ subdomain }))
  if (row === undefined) return undefined
  const { agentId, userId } = subdomainRows.parse(row)
  return findAgent({ table }, { agentId, owner: ownerOf({ userId }) })
}
