import { findUser } from '#shared/accounts/users/user.ts'
import { packReader } from '#shared/agents/files/packs.ts'
import { fileRows } from '#shared/agents/files/rows.ts'
import { workspaceIn } from '#shared/agents/files/walk.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { plausibleBytes, quotaOf } from '#shared/agents/storage/quota.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { collect } from '../restore-points/collect.ts'
import type { SyncsFiles } from '../restore-points/store-snapshot.ts'
import type { BeginContext } from '../restore-points/work/context.ts'
import { archivedFiles } from './archived-files.ts'
import { archiveBounds } from './bounds.ts'
import { requestExport } from './exports/request.ts'
import { portable } from './portable.ts'
import { agentFiles, sizeOf, writeArchive } from './write.ts'
import { pack } from './zip/pack.ts'

export type Exported =
  | {
      zip: Buffer<ArrayBuffer>
      /** The suggested file name. */
      fileName: string
    }
  /** The archive is larger than a response; a job writes it. */
  | { exportId: string }

type Exports = Pick<UserContext, 'table' | 'owner' | 'seed'> &
  Can<'packs'> &
  Sends<'agent-exports'> &
  Pick<BeginContext, 'config'> &
  SyncsFiles

/**
 * Exports a user's agent as a ZIP of readable files without secrets, with the files of its workspace. Exports of the same
 * content are identical byte by byte.
 * @throws PlatformError 404, 413 if its memory alone or its files are too large, 409 ARCHIVE_LIMIT_REACHED
 */
export async function exportAgent(
  ctx: Exports,
  { agentId }: { agentId: string },
): Promise<Exported> {
  const { table, owner, packs } = ctx
  const agent = await requireAgent({ table }, { agentId, owner })
  await ctx.syncFiles?.(agent)
  const fileName = `${agent.subdomain}.zip`
  const row = await fileRows.find(table, { userId: owner, agentId })
  const workspace = await workspaceIn(packReader(packs, agentId).readList, row?.root)
  const content = portable(await collect(table, agent))
  if (workspace === undefined) return { zip: await writeArchive(content), fileName }
  const files = await agentFiles(content)
  // An import of a body accepts at most this.
  if (sizeOf(files) + workspace.bytes <= archiveBounds.unpackedBytes) {
    const zip = await pack(files, archivedFiles(packs, agentId, workspace))
    if (zip.length <= archiveBounds.packedBytes) return { zip, fileName }
  }
  const user = await findUser(table, owner)
  const most = plausibleBytes(user === undefined ? 0 : quotaOf(user, ctx.config.ADMIN_EMAILS))
  if (workspace.bytes > most)
    throw new PlatformError(
      'payload-too-large',
      `The files of an export must not be larger than ${most} bytes`,
    )
  const { id } = await requestExport(ctx, agent, most)
  return { exportId: id }
}
