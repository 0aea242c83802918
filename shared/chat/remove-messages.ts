import type { DeletionHook } from '../agents/deletion.ts'
import { removeRows } from '../platform/table/remove-rows.ts'
import { messageRows } from './rows.ts'

/** What was said with an agent goes with it. */
export const removeMessages: DeletionHook = ({ store, agentId, deadline }) =>
  removeRows(store, messageRows.prefix({ agentId }), deadline)
