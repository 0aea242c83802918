import { removeRows } from '../platform/table/remove-rows.ts'
import type { Table } from '../platform/table/port.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import { credentialsRows, eventRows, senderRows, taskRows } from './rows.ts'

/** An agent that is being deleted. */
export interface Deletion {
  table: Table
  /** Of its owner. */
  store: UserStore
  agentId: string
  /** Epoch milliseconds. */
  deadline: number
}

/**
 * Removes what one noun keeps for an agent. Each noun brings its own, and the provisioning job puts them together. It
 * is asked again until nothing is left, so it must do no harm twice.
 * @returns whether nothing is left; otherwise the time was not enough
 */
export type DeletionHook = (deletion: Deletion) => Promise<boolean>

/** The rows of the agent's own noun: its credentials, its bots' senders, its past tasks and its events. */
export const removeAgentRows: DeletionHook = async ({ store, agentId, deadline }) =>
  (await removeRows(store, taskRows.prefix({ agentId }), deadline)) &&
  (await removeRows(store, eventRows.prefix({ agentId }), deadline)) &&
  (await removeRows(store, senderRows.sk({ agentId }), deadline)) &&
  removeRows(store, credentialsRows.sk({ agentId }), deadline)
