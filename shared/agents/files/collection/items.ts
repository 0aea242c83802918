import { holder } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { fileRows, filesDue, type FilesRow } from '../rows.ts'
import { fileCollections } from './topic.ts'

type Held = Pick<FilesRow, 'userId' | 'agentId' | 'heldBy'>

/** The files of agents whose unused packs must be removed. */
export const collectionItems = workItems({
  rows: fileRows,
  key: ({ userId, agentId }: Held) => fileRows.key({ userId, agentId }),
  id: ({ agentId }: Held) => agentId,
  due: filesDue,
  fence: holder('heldBy', 'heldUntil'),
  topic: fileCollections,
  message: ({ userId, agentId }: Held) => ({ userId, agentId }),
  // Longer than the time limit of the job.
  leaseMs: 330_000,
  lostMs: 60_000,
})
