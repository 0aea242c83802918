import type { DeletionHook } from '../agents/deletion.ts'
import { askAgain } from '../entitlements/due.ts'

/** The place of a deleted agent may be what another waits for that its owner's plan had no place for. */
export const askForFreedPlace: DeletionHook = async ({ table, store }) => {
  await askAgain(table, store.userId)
  return true
}
