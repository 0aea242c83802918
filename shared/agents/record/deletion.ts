import type { Table } from '#shared/platform/table/port.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { credentialsRows, agentEventRows, senderRows, taskRows } from './rows.ts'

/** An agent that is being deleted. */
export interface Deletion {
  table: Table
  /** The store of its owner. */
  store: UserStore
  agentId: string
  /** Epoch milliseconds. */
  deadline: number
}

/**
 * Removes the data that one noun stores for an agent. Each noun has its own hook, and the provisioning job combines
 * them. Called until nothing is left, so it must be repeatable.
 * @returns true if nothing is left, false if the deadline passed before
 */
export type DeletionHook = (deletion: Deletion) => Promise<boolean>

/** Removes the rows of this noun: credentials, senders, past tasks and events. */
export const removeAgentRows: DeletionHook = async ({ store, agentId, deadline }) =>
  (await removeRows(store, taskRows.prefix({ agentId }), deadline)) &&
  (await removeRows(store, agentEventRows.prefix({ agentId }), deadline)) &&
  (await removeRows(store, senderRows.sk({ agentId }), deadline)) &&
  removeRows(store, credentialsRows.sk({ agentId }), deadline)
