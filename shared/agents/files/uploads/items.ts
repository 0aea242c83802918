import { holder } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { packKey } from '../packs.ts'
import { type Upload, uploadRows, uploadsDue } from '../rows.ts'
import { fileUploads } from './topic.ts'

type Held = Pick<Upload, 'id' | 'userId' | 'agentId' | 'heldBy'>

/** Returns the key of an upload's row. */
export function uploadKey({ userId, agentId, id }: Omit<Held, 'heldBy'>) {
  return uploadRows.key({ userId, agentId, uploadId: id })
}

/** The id of the pack that contains the content of an upload. */
export function uploadPack({ id }: Pick<Upload, 'id'>): string {
  return `${id}.upload`
}

/** The key of the object that the link stores. */
export function uploadObject(upload: Pick<Upload, 'id' | 'agentId'>): string {
  return packKey(upload.agentId, uploadPack(upload))
}

/** The uploads that are not finished. A finished upload has no row. */
export const uploadItems = workItems({
  rows: uploadRows,
  key: uploadKey,
  id: ({ id }: Held) => id,
  due: uploadsDue,
  fence: holder('heldBy', 'heldUntil'),
  topic: fileUploads,
  message: ({ userId, agentId, id }: Held) => ({ userId, agentId, uploadId: id }),
  // Longer than the time limit of the job.
  leaseMs: 90_000,
  lostMs: 60_000,
  resendMs: 50_000,
})
