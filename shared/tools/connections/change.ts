import { type AgentRef, agentAlive, agentSortKey, ownerOf } from '#shared/agents/record/agent.ts'
import { notFound } from '#shared/platform/errors.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { Connection } from './find.ts'
import { connectionRows } from './rows.ts'

/** The next form of a connection, and other writes of the same transaction. */
export interface ConnectionChange {
  to: Connection
  also?: Parts
}

/**
 * Changes a connection. If another change was first, `decide` runs again, so it must have no side effects.
 * @param decide returns undefined to change nothing
 * @returns the connection after the change; undefined if nothing was changed
 * @throws the errors of `decide`, PlatformError 404 if the connection or its agent was deleted
 */
export async function changeConnection(
  table: Table,
  agent: AgentRef,
  name: string,
  decide: (
    current: Connection,
  ) => Promise<ConnectionChange | undefined> | ConnectionChange | undefined,
): Promise<Connection | undefined> {
  const { agentId } = agent
  const store = userStore(table, ownerOf(agent))
  let changed: Connection | undefined
  await changeItem<Parts>(
    store.row(connectionRows.sk({ agentId, name })),
    async (item) => {
      if (item === undefined) throw notFound('Connection')
      const before = connectionRows.parse(item)
      const change = await decide(before)
      changed = change && { ...change.to, revision: before.revision + 1 }
      if (change === undefined || changed === undefined) return undefined
      return {
        put: connectionRows.attributes(changed),
        condition: { if: '#revision = :revision', values: { revision: before.revision } },
        also: { ...change.also, agent: store.write.check(agentSortKey(agentId), agentAlive) },
      }
    },
    { errors: { agent: () => notFound('Agent') } },
  )
  return changed
}
