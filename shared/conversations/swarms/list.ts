import type { UserContext } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { swarmRows } from './rows.ts'
import type { Swarm } from './schema.ts'

/** Lists a user's swarms, oldest first. */
export async function listSwarms({ table, owner }: UserContext): Promise<Swarm[]> {
  const store = userStore(table, owner)
  const swarms = await allItems((from) => store.query({ beginsWith: swarmRows.prefix(), ...from }))
  return swarms.map(swarmRows.parse)
}
