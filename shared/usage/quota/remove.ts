import type { DeletionHook } from '../../agents/deletion.ts'
import { removeRows } from '../../platform/table/remove-rows.ts'
import { agentQuotaPrefix } from './row.ts'

/** An agent's own months go with it; what its owner used and paid for is the owner's, and stays. */
export const removeAgentQuotas: DeletionHook = ({ store, agentId, deadline }) =>
  removeRows(store, agentQuotaPrefix(agentId), deadline)
