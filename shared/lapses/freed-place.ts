import type { DeletionHook } from '../agents/deletion.ts'
import { askAgain } from '../entitlements/due.ts'

/** A deletion may make room for a lapsed agent of the same owner. */
export const askForFreedPlace: DeletionHook = async ({ table, store }) => {
  await askAgain(table, store.userId)
  return true
}
