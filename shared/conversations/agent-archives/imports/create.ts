import { userCounter } from '#shared/accounts/users/counter.ts'
import { uploadBytes } from '#shared/agents/files/uploads/create.ts'
import { limitReached } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { requireBeginning } from '../../restore-points/begin.ts'
import type { BeginContext } from '../../restore-points/work/context.ts'
import { type AgentImport, importObject, importRows, importsDue } from '../rows.ts'

/** The maximum size of an archive to import: the limit of a link. */
export const importBytes = uploadBytes

/** The validity of a link in seconds: contract.md 16. */
const linkSeconds = 900

/** An archive is removed after this time, in milliseconds. An upload that began before the expiry takes longer. */
const storedMs = 2 * 3_600_000

/** The maximum number of a user’s archives that are stored. They do not count as storage. */
const mostImports = 10

export interface ImportLink {
  importId: string
  url: string
  method: 'PUT'
  headers: Record<string, string>
  expiresAt: string
}

/**
 * Creates a link to upload an archive of exactly this size.
 * @throws PlatformError 503 PROVISIONING_DISABLED, 402 SUBSCRIPTION_REQUIRED, 409 ARCHIVE_LIMIT_REACHED with current and
 * limit
 */
export async function createImport(
  ctx: Pick<UserContext, 'actor' | 'table' | 'owner'> &
    Pick<BeginContext, 'config'> &
    Can<'uploadLinks'>,
  { size }: { size: number },
  now = Date.now(),
): Promise<ImportLink> {
  const { table, owner: userId, uploadLinks } = ctx
  requireBeginning(ctx)
  const row: AgentImport = { id: newId(importRows.id, newSeed(now)), userId, size }
  await insertCounted(userStore(table, userId), {
    put: importRows.put({ userId, importId: row.id }, row, importsDue.at(row.id, now + storedMs)),
    count: userCounter(userId, importRows, mostImports),
    limitReached: () =>
      limitReached(
        'ARCHIVE_LIMIT_REACHED',
        `${mostImports} archives are stored already; each is removed two hours after its link was created`,
        { current: mostImports, limit: mostImports },
      ),
  })
  const link = await uploadLinks.forUpload(importObject(row), { seconds: linkSeconds, bytes: size })
  const expiresAt = isoOf(now + linkSeconds * 1000)
  return { importId: row.id, ...link, method: 'PUT', expiresAt }
}
