import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { endWaitParts } from './approval.ts'
import { approvalRows, pendingCountRows, waitingRequestRows } from './rows.ts'

/** Ends the pending approvals of a deleted agent. The user keeps all its approvals until they expire. */
export const removeApprovals: DeletionHook = async ({ table, store, agentId, deadline }) => {
  const items = await allItems((from) =>
    store.query({
      beginsWith: approvalRows.prefix(),
      filter: '#agentId = :agentId AND #state = :pending',
      values: { agentId, pending: 'pending' },
      ...from,
    }),
  )
  for (const item of items) {
    const result = { error: 'The agent was deleted' }
    const { count: _, ...parts } = endWaitParts(approvalRows.parse(item), {
      state: 'failed',
      result,
    })
    // If it was decided in the meantime, its job finds no agent.
    await tryCommit(table, parts)
  }
  return (
    (await removeRows(store, waitingRequestRows.prefix({ agentId }), deadline)) &&
    removeRows(store, pendingCountRows.sk({ agentId }), deadline)
  )
}
