import { findUser } from '#shared/accounts/users/user.ts'
import { agentAlive } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { numbered, tryCommit } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { quotaOf } from '../../storage/quota.ts'
import { storageRows } from '../../storage/rows.ts'
import type { TellsFull } from '../../storage/tell-full.ts'
import { changeUse } from '../../storage/use.ts'
import { full } from '../change.ts'
import { treePath, requireWritablePath } from '../faults.ts'
import { namesIn } from '../path.ts'
import { type Upload, uploadRows, uploadsDue } from '../rows.ts'
import { openStored, type ReadsFiles } from '../stored.ts'
import { uploadKey, uploadObject } from './items.ts'

/** The validity of a link in seconds: contract.md 16. */
const linkSeconds = 900

/** The maximum size of an upload: S3's limit for one request. */
export const uploadBytes = 5 * 1024 ** 3

/** A new link ends the reservations of earlier links to its path among this number of the agent's newest uploads. */
const newest = 50

export interface UploadLink {
  url: string
  method: 'PUT'
  headers: Record<string, string>
  expiresAt: string
}

/**
 * Creates a link to upload a file of a caller's agent once, with exactly this size. The size is reserved
 * in the storage until the link is used or expires, or a later link to the same path takes its place. An earlier link
 * stays valid, but its upload is committed only if there is room.
 * @throws PlatformError 402 STORAGE_LIMIT_REACHED, 404, 409 if a folder is in the way, 503 with Retry-After as syncBefore
 */
export async function createUpload(
  ctx: ReadsFiles & Can<'uploadLinks'> & TellsFull,
  { agentId, path, size }: { agentId: string; path: string; size: number },
  now = Date.now(),
): Promise<UploadLink> {
  const { table, owner: userId, uploadLinks } = ctx
  await requireAgent({ table }, { agentId, owner: userId })
  const names = treePath(namesIn(path))
  const { tree } = await openStored(ctx, agentId, names)
  await requireWritablePath(tree, names)
  const before = await tree.find(names)
  const replaced = before === undefined || before === 'folder' ? 0 : before.size
  const expiresAt = now + linkSeconds * 1000
  const reserved = Math.max(0, size - replaced)
  const upload: Upload = { id: newSeed(), userId, agentId, path, size, reserved, expiresAt }
  await retryOptimistically(async () => {
    const [user, use, earlier] = await Promise.all([
      findUser(table, userId),
      storageRows.find(table, { userId }),
      unusedUploads(table, upload),
    ])
    const freed = earlier.reduce((sum, one) => sum + one.reserved, 0)
    const refusals = await tryCommit(table, {
      upload: {
        put: uploadRows.put(
          { userId, agentId, uploadId: upload.id },
          upload,
          uploadsDue.at(upload.id, expiresAt),
        ),
      },
      use: changeUse(
        userId,
        { bytes: 0, reserved: reserved - freed },
        { use, quota: user && quotaOf(user, ctx.adminEmails) },
      ),
      agent: { check: agentRows.key({ userId, agentId }), ...agentAlive },
      ...numbered('earlier', earlier.map(endReservation)),
    })
    if (refusals === undefined) return undefined
    if (refusals.agent !== undefined) throw notFound('Agent')
    if (Object.keys(refusals).some((name) => name.startsWith('earlier'))) return overtaken
    throw await full(ctx, user)
  })
  const link = await uploadLinks.forUpload(uploadObject(upload), {
    seconds: linkSeconds,
    bytes: size,
  })
  return { ...link, method: 'PUT', expiresAt: isoOf(expiresAt) }
}

/** Returns the earlier uploads to the same path that reserve bytes and that no job commits now. */
async function unusedUploads(
  table: UserContext['table'],
  { userId, agentId, path }: Upload,
): Promise<Upload[]> {
  const { items } = await userStore(table, userId).query({
    beginsWith: uploadRows.prefix({ agentId }),
    descending: true,
    limit: newest,
    consistent: true,
  })
  return items
    .map(uploadRows.parse)
    .filter((one) => one.path === path && one.reserved > 0 && one.heldBy === undefined)
}

/** Returns the write that ends the reservation of an upload, unless a job commits it. */
function endReservation(upload: Upload): Write {
  const { reserved } = upload
  return {
    update: uploadKey(upload),
    set: { reserved: 0 },
    ...ifUnchanged({ reserved, heldBy: undefined }),
  }
}
