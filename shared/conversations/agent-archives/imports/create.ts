import { uploadBytes } from '#shared/agents/files/uploads/create.ts'
import { limitReached } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
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
 * @throws PlatformError 409 ARCHIVE_LIMIT_REACHED with current and limit
 */
export async function createImport(
  ctx: Pick<UserContext, 'table' | 'owner'> & Can<'uploadLinks'>,
  { size }: { size: number },
  now = Date.now(),
): Promise<ImportLink> {
  const { table, owner: userId, uploadLinks } = ctx
  const beginsWith = importRows.prefix()
  const stored = await allItems((from) => userStore(table, userId).query({ beginsWith, ...from }))
  if (stored.length >= mostImports)
    throw limitReached(
      'ARCHIVE_LIMIT_REACHED',
      `${mostImports} archives are stored already; each is removed two hours after its link was created`,
      { current: stored.length, limit: mostImports },
    )
  const row: AgentImport = { id: newId(importRows.id, newSeed(now)), userId, size }
  await table.put(
    importRows.put({ userId, importId: row.id }, row, importsDue.at(row.id, now + storedMs)),
  )
  const link = await uploadLinks.forUpload(importObject(row), { seconds: linkSeconds, bytes: size })
  const expiresAt = isoOf(now + linkSeconds * 1000)
  return { importId: row.id, ...link, method: 'PUT', expiresAt }
}
