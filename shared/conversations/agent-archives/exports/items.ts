import { holder } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { type AgentExport, exportRows, exportsDue } from '../rows.ts'
import { agentExports } from './topic.ts'

type Held = Pick<AgentExport, 'id' | 'userId' | 'agentId' | 'heldBy'>

/** Returns the key of an export's row. */
export function exportKey({ userId, agentId, id }: Omit<Held, 'heldBy'>) {
  return exportRows.key({ userId, agentId, exportId: id })
}

/** The exports that are not done, or whose archive must be removed. */
export const exportItems = workItems({
  rows: exportRows,
  key: exportKey,
  id: ({ id }: Held) => id,
  due: exportsDue,
  fence: holder('heldBy', 'heldUntil'),
  topic: agentExports,
  message: ({ userId, agentId, id }: Held) => ({ userId, agentId, exportId: id }),
  // Longer than the time between two renewals.
  leaseMs: 120_000,
  lostMs: 60_000,
  resendMs: 50_000,
})
