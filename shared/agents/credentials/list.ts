import type { Table } from '../../platform/table/port.ts'
import type { Agent } from '../agent.ts'
import { readCredentials } from './row.ts'

/** The credentials of an agent by name alone: what they say is told to its container alone. */
export async function listCredentials(
  { table }: { table: Table },
  { agent }: { agent: Agent },
): Promise<{ key: string; updatedAt: string }[]> {
  const { credentials } = await readCredentials(table, agent)
  return Object.entries(credentials)
    .map(([key, { updatedAt }]) => ({ key, updatedAt }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}
