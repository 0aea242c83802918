import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { mandateRows } from './rows.ts'

/** Removes a deleted agent's mandate. Its payments stay as financial records. */
export const removeMandate: DeletionHook = ({ store, agentId, deadline }) =>
  removeRows(store, mandateRows.sk({ agentId }), deadline)
