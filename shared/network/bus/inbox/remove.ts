import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { inboxEndRows, inboxRows } from '../rows.ts'

/** Removes a deleted agent's inbox. */
export const removeInbox: DeletionHook = async ({ store, agentId, deadline }) =>
  (await removeRows(store, inboxRows.prefix({ agentId }), deadline)) &&
  removeRows(store, inboxEndRows.sk({ agentId }), deadline)
