import { findUser } from '#shared/accounts/users/user.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { isoOf } from '#shared/platform/times.ts'
import { countUpload } from '../../storage/count-upload.ts'
import { quotaOf } from '../../storage/quota.ts'
import { expectPacks } from '../collection/expect-packs.ts'
import { packKey } from '../packs.ts'
import { type ContainerContext, requireHeld } from './held.ts'
import { linkSeconds } from './links.ts'
import type { PackWriting } from './schema.ts'

/** A pack counts as at least so many bytes of the uploads of a day, because each costs a request to the store. */
const leastCountedBytes = 1024 ** 2

interface NewPack {
  id: string
  url: string
  method: 'PUT'
  headers: Record<string, string>
}

/**
 * Returns links to store new packs of a container's own agent, each once and with exactly its size. A pack must be
 * committed within an hour; otherwise a collection removes it.
 * @throws PlatformError 402 STORAGE_LIMIT_REACHED over the uploads of a day, 404, 409 FILES_HELD
 */
export async function addPacks(
  ctx: ContainerContext & Can<'adminEmails' | 'uploadLinks'>,
  { generation, packs, release }: PackWriting,
  now = Date.now(),
): Promise<{ packs: NewPack[]; expiresAt: string }> {
  const { table, uploadLinks, adminEmails } = ctx
  const row = await requireHeld(ctx, generation)
  const { userId, agentId } = row
  const user = await findUser(table, userId)
  const bytes = packs.reduce((sum, pack) => sum + Math.max(pack.bytes, leastCountedBytes), 0)
  if (user !== undefined)
    await countUpload({ table }, { userId, bytes, quota: quotaOf(user, adminEmails), release }, now)
  await expectPacks({ table }, row, now)
  const made = packs.map(async (pack): Promise<NewPack> => {
    const id = newSeed()
    const key = packKey(agentId, id)
    const link = await uploadLinks.forUpload(key, { seconds: linkSeconds, bytes: pack.bytes })
    return { id, method: 'PUT', ...link }
  })
  return { packs: await Promise.all(made), expiresAt: isoOf(now + linkSeconds * 1000) }
}
