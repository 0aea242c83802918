import { markDue } from '#shared/accounts/entitlements/due.ts'
import type { DeletionHook } from '#shared/agents/record/deletion.ts'

/** Makes the owner's entitlements due, because a deletion may make room for a lapsed agent. */
export const recheckLapsedAgents: DeletionHook = async ({ table, store }) => {
  await markDue(table, store.userId)
  return true
}
