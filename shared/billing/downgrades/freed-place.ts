import { markDue } from '#shared/accounts/entitlements/due.ts'
import type { DeletionHook } from '#shared/agents/record/deletion.ts'

/** A deletion may make room for a lapsed agent of the same owner. */
export const askForFreedPlace: DeletionHook = async ({ table, store }) => {
  await markDue(table, store.userId)
  return true
}
