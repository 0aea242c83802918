import { removeRows } from '#shared/platform/table/remove-rows.ts'
import type { DeletionHook } from '../record/deletion.ts'
import { noteRows, skillRows } from './rows.ts'
import { freeInstalls } from './skills/installs.ts'

/** Removes a deleted agent's memory and skills, and releases their share of its owner's skill limit. */
export const removeWorkspace: DeletionHook = async ({ table, store, agentId, deadline }) => {
  await freeInstalls({ table }, { userId: store.userId, agentId })
  return (
    (await removeRows(store, noteRows.prefix({ agentId }), deadline)) &&
    removeRows(store, skillRows.prefix({ agentId }), deadline)
  )
}
