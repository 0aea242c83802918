import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { brokerCredentialRows, brokerRequestRows } from './rows.ts'

/** Removes a deleted agent's broker credentials and the records of their uses. */
export const removeBrokerRows: DeletionHook = async ({ store, agentId, deadline }) =>
  (await removeRows(store, brokerCredentialRows.sk({ agentId }), deadline)) &&
  removeRows(store, brokerRequestRows.prefix({ agentId }), deadline)
