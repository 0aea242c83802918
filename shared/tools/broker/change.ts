import { type Agent, agentAlive, agentSortKey, ownerOf } from '#shared/agents/record/agent.ts'
import { notFound } from '#shared/platform/errors.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { BrokerCredentials } from './credentials.ts'
import { brokerCredentialRows } from './rows.ts'

/**
 * Changes an agent's credentials, which are all in one row. If another change was first, `decide` runs again, so it
 * must have no side effects.
 * @throws the errors of `decide`, PlatformError 404 if the agent is deleted
 */
export async function changeBrokerCredentials(
  table: Table,
  agent: Agent,
  decide: (current: BrokerCredentials) => BrokerCredentials,
): Promise<void> {
  const store = userStore(table, ownerOf(agent))
  await changeItem(
    store.row(brokerCredentialRows.sk({ agentId: agent.id })),
    (item) => {
      const before = item === undefined ? undefined : brokerCredentialRows.parse(item)
      const credentials = decide(before?.credentials ?? {})
      return {
        put: brokerCredentialRows.attributes({
          credentials,
          revision: (before?.revision ?? 0) + 1,
        }),
        condition:
          before === undefined
            ? absent()
            : { if: '#revision = :revision', values: { revision: before.revision } },
        also: { agent: store.write.check(agentSortKey(agent.id), agentAlive) },
      }
    },
    { errors: { agent: () => notFound('Agent') } },
  )
}
