import { removeRows } from '#shared/platform/table/remove-rows.ts'
import type { DeletionHook } from '../record/deletion.ts'
import { trafficRows } from './rows.ts'

export const removeTraffic: DeletionHook = ({ store, agentId, deadline }) =>
  removeRows(store, trafficRows.sk({ agentId }), deadline)
