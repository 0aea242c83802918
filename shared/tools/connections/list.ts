import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { connectionRows, connectionToolRows } from './rows.ts'
import type { ConnectionView } from './schema.ts'
import { viewOf } from './view.ts'

/** Lists an agent's connections with their tools, by name. @throws PlatformError 404 */
export async function listConnections(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { agentId }: { agentId: string },
): Promise<ConnectionView[]> {
  await requireAgent({ table }, { agentId, owner })
  const store = userStore(table, owner)
  const all = (beginsWith: string) => allItems((from) => store.query({ beginsWith, ...from }))
  const [connections, kept] = await Promise.all([
    all(connectionRows.prefix({ agentId })),
    all(connectionToolRows.prefix({ agentId })),
  ])
  const tools = new Map(kept.map((item) => [item.sk, connectionToolRows.parse(item)]))
  return connections.map((item) => {
    const one = connectionRows.parse(item)
    return viewOf(one, tools.get(connectionToolRows.sk({ agentId, name: one.name })))
  })
}
