import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { revocationOf, revocationPut } from './oauth/revocation.ts'
import {
  connectionCountRows,
  connectionRequestRows,
  connectionRows,
  connectionSignInRows,
  connectionToolRows,
} from './rows.ts'

/**
 * Removes a deleted agent's connections, their tools, and the records of their use. The schedule revokes the tokens,
 * because this function cannot reach the servers.
 */
export const removeConnections: DeletionHook = async ({ table, store, agentId, deadline }) => {
  const beginsWith = connectionRows.prefix({ agentId })
  const consistent = true
  const items = await allItems((from) => store.query({ beginsWith, consistent, ...from }))
  for (const item of items) {
    const revocation = await revocationOf(agentId, connectionRows.parse(item))
    if (revocation !== undefined) await table.put(revocationPut(revocation))
  }
  return (
    (await removeRows(store, beginsWith, deadline)) &&
    (await removeRows(store, connectionToolRows.prefix({ agentId }), deadline)) &&
    (await removeRows(store, connectionSignInRows.prefix({ agentId }), deadline)) &&
    (await removeRows(store, connectionCountRows.sk({ agentId }), deadline)) &&
    removeRows(store, connectionRequestRows.prefix({ agentId }), deadline)
  )
}
