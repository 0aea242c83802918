import { allItems } from '../platform/table/pages.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { type Swarm, swarmView } from './schema.ts'
import { swarmPrefix } from './swarm.ts'

/** A user's swarms, oldest first. */
export async function listSwarms(table: Table, userId: string): Promise<Swarm[]> {
  const store = userStore(table, userId)
  const swarms = await allItems((from) => store.query({ beginsWith: swarmPrefix, ...from }))
  return swarms.map((item) => swarmView.parse(item))
}
