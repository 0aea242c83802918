import { tryCommit } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { retryOptimistically, overtaken } from '#shared/platform/table/retry-optimistically.ts'
import type { Deletion, DeletionHook } from '../record/deletion.ts'
import { changeUse } from '../storage/use.ts'
import { countedBytes, fileRows, filesDue, uploadRows, versionOf } from './rows.ts'
import { uploadKey } from './uploads/items.ts'

const unbounded = { quota: undefined, use: undefined }

/**
 * Removes the files of a deleted agent: the root and the use of storage at once, the packs by the next collection. Packs
 * of restore points stay as long as these.
 */
export const removeFiles: DeletionHook = async (deletion) => {
  await removeRoot(deletion)
  await removeUploads(deletion)
  return true
}

async function removeRoot({ table, store: { userId }, agentId }: Deletion): Promise<void> {
  const now = Date.now()
  await retryOptimistically(async () => {
    const row = await fileRows.find(table, { userId, agentId })
    if (row === undefined || row.deletedAt !== undefined) return undefined
    const refusals = await tryCommit(table, {
      files: {
        update: fileRows.key({ userId, agentId }),
        set: { deletedAt: now, collectAt: now, bytes: 0, files: 0, ...filesDue.at(agentId, now) },
        remove: ['root', 'holder', 'surplus'],
        ...ifUnchanged({
          ...versionOf(row),
          surplus: row.surplus,
        }),
      },
      use: changeUse(userId, { bytes: -countedBytes(row), reserved: 0 }, unbounded),
    })
    return refusals === undefined ? undefined : overtaken
  })
}

/** The object of an upload is removed with the packs, or by the notification about it. */
async function removeUploads({ table, store, agentId }: Deletion): Promise<void> {
  const items = await allItems((from) =>
    store.query({ beginsWith: uploadRows.prefix({ agentId }), consistent: true, ...from }),
  )
  for (const upload of items.map(uploadRows.parse))
    // It is refused if the upload was settled in the meantime.
    await tryCommit(table, {
      upload: {
        delete: uploadKey(upload),
        if: '#reserved = :reserved',
        values: { reserved: upload.reserved },
      },
      use: changeUse(store.userId, { bytes: 0, reserved: -upload.reserved }, unbounded),
    })
}
