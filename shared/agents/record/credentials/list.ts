import type { Table } from '#shared/platform/table/port.ts'
import type { Agent } from '../agent.ts'
import { readCredentials } from './row.ts'

/** Lists the names of an agent's credentials. Only its container gets the values. */
export async function listCredentials(
  { table }: { table: Table },
  { agent }: { agent: Agent },
): Promise<{ key: string; updatedAt: string }[]> {
  const { credentials } = await readCredentials(table, agent)
  return Object.entries(credentials)
    .map(([key, { updatedAt }]) => ({ key, updatedAt }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}
