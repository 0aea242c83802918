import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { messageRows, topicRows } from './rows.ts'

/** Removes the messages and conversations of a deleted agent. */
export const removeMessages: DeletionHook = async ({ store, agentId, deadline }) =>
  (await removeRows(store, messageRows.prefix({ agentId }), deadline)) &&
  removeRows(store, topicRows.prefix({ agentId }), deadline)
