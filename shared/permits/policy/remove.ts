import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { policyRows, ruleCountRows } from './rows.ts'

/** Removes a deleted agent's policy and the uses of its rules. */
export const removePolicy: DeletionHook = async ({ store, agentId, deadline }) =>
  (await removeRows(store, policyRows.sk({ agentId }), deadline)) &&
  removeRows(store, ruleCountRows.prefix({ agentId }), deadline)
