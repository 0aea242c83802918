import type { DeletionHook } from '../../agents/deletion.ts'
import { removeRows } from '../../platform/table/remove-rows.ts'
import { agentQuotaPrefix } from './row.ts'

/** Removes a deleted agent's months. Its owner's usage and costs stay with the owner. */
export const removeAgentQuotas: DeletionHook = ({ store, agentId, deadline }) =>
  removeRows(store, agentQuotaPrefix(agentId), deadline)
