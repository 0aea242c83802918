import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { agentQuotaPrefix } from './row.ts'

/** Removes a deleted agent's months. The usage and costs of its owner are retained. */
export const removeAgentQuotas: DeletionHook = ({ store, agentId, deadline }) =>
  removeRows(store, agentQuotaPrefix(agentId), deadline)
