import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { agentQuotaPrefix, spendPrefix } from './row.ts'

/** Removes a deleted agent's months and days. The usage and costs of its owner are retained. */
export const removeAgentQuotas: DeletionHook = async ({ store, agentId, deadline }) =>
  (await removeRows(store, agentQuotaPrefix(agentId), deadline)) &&
  removeRows(store, spendPrefix(agentId), deadline)
