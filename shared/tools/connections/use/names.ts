import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { connectionRows } from '../rows.ts'

/** Lists the connections with tools that an agent may use now, by name. */
export async function listForAgent(
  { table }: { table: Table },
  agent: Agent,
): Promise<{ name: string }[]> {
  const store = userStore(table, ownerOf(agent))
  const beginsWith = connectionRows.prefix({ agentId: agent.id })
  const items = await allItems((from) => store.query({ beginsWith, ...from }))
  return items
    .map(connectionRows.parse)
    .filter(({ state, allow }) => (state === 'connected' || state === 'failed') && allow.length > 0)
    .map(({ name }) => ({ name }))
}
