import type { DeletionHook } from '../agents/deletion.ts'
import { removeRows } from '../platform/table/remove-rows.ts'
import { messageKey } from './message.ts'

/** What was said with an agent goes with it. */
export const removeMessages: DeletionHook = ({ store, agentId, deadline }) =>
  removeRows(store, messageKey(agentId), deadline)
