import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { type Swarm, swarmView } from './schema.ts'
import { swarmPrefix } from './swarm.ts'

/** A user's swarms, oldest first. */
export async function listSwarms(table: Table, userId: string): Promise<Swarm[]> {
  const store = userStore(table, userId)
  const swarms: Swarm[] = []
  let from = {}
  for (;;) {
    const { items, next } = await store.query({ beginsWith: swarmPrefix, ...from })
    swarms.push(...items.map((item) => swarmView.parse(item)))
    if (next === undefined) return swarms
    from = { after: next }
  }
}
