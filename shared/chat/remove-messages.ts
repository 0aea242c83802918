import type { DeletionHook } from '../agents/deletion.ts'
import { removeRows } from '../platform/table/remove-rows.ts'
import { messageRows, topicRows } from './rows.ts'

/** What was said with an agent goes with it. */
export const removeMessages: DeletionHook = async ({ store, agentId, deadline }) =>
  (await removeRows(store, messageRows.prefix({ agentId }), deadline)) &&
  removeRows(store, topicRows.prefix({ agentId }), deadline)
