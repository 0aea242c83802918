import type { Write } from '#shared/platform/table/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { type Agent, agentAlive, agentSortKey, ownerOf } from './agent.ts'

/** Returns the write that marks whether an agent has a policy of its own, for the transaction that stores the policy. */
export function policyMark(
  table: Table,
  { id, userId }: Pick<Agent, 'id' | 'userId'>,
  has: boolean,
): Write {
  return userStore(table, ownerOf({ userId })).write.update(agentSortKey(id), {
    ...agentAlive,
    set: { updatedAt: isoOf(Date.now()), ...(has && { hasPolicy: true }) },
    remove: has ? [] : ['hasPolicy'],
    add: { revision: 1 },
  })
}
