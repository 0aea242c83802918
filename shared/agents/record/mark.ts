import type { Write } from '#shared/platform/table/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { type Agent, agentAlive, agentSortKey, ownerOf } from './agent.ts'

/** The attributes of an agent's row that say that it has rows of another noun. Without the attribute, nothing reads these rows. */
type Mark = 'hasPolicy' | 'hasConnections'

/** Returns the write that marks an agent's row, for the transaction that makes the mark true or false. */
export function agentMark(
  table: Table,
  { id, userId }: Pick<Agent, 'id' | 'userId'>,
  mark: Mark,
  has: boolean,
): Write {
  return userStore(table, ownerOf({ userId })).write.update(agentSortKey(id), {
    ...agentAlive,
    set: { updatedAt: isoOf(Date.now()), ...(has && { [mark]: true }) },
    remove: has ? [] : [mark],
    add: { revision: 1 },
  })
}
