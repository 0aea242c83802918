import type { DeletionHook } from '../agents/deletion.ts'
import { removeRows } from '../platform/table/remove-rows.ts'
import { trafficRows } from './rows.ts'

export const removeTraffic: DeletionHook = ({ store, agentId, deadline }) =>
  removeRows(store, trafficRows.sk({ agentId }), deadline)
