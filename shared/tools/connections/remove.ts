import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import {
  connectionCountRows,
  connectionRequestRows,
  connectionRows,
  connectionSignInRows,
  connectionToolRows,
} from './rows.ts'

/** Removes a deleted agent's connections, their tools, and the records of their use. */
export const removeConnections: DeletionHook = async ({ store, agentId, deadline }) =>
  (await removeRows(store, connectionRows.prefix({ agentId }), deadline)) &&
  (await removeRows(store, connectionToolRows.prefix({ agentId }), deadline)) &&
  (await removeRows(store, connectionSignInRows.prefix({ agentId }), deadline)) &&
  (await removeRows(store, connectionCountRows.sk({ agentId }), deadline)) &&
  removeRows(store, connectionRequestRows.prefix({ agentId }), deadline)
