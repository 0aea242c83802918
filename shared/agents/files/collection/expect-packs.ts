import { notFound } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { fileRows, filesDue, type FilesRow } from '../rows.ts'

/** An unused pack that is younger may be part of a commit in progress, so a collection leaves it. */
export const youngMs = 3_600_000

/** A writer stores its packs within this time, and then commits. It is longer than a function can run. */
const writingMs = 30 * 60_000

/**
 * Requests a collection of unused packs before a writer stores packs, so that the packs of a killed writer are found. A
 * request that is far enough ahead serves several writers.
 * @throws PlatformError 404 if the agent was deleted
 */
export async function expectPacks(
  { table }: Pick<Context, 'table'>,
  { userId, agentId, collectAt = 0 }: Pick<FilesRow, 'userId' | 'agentId' | 'collectAt'>,
  now = Date.now(),
): Promise<void> {
  if (collectAt > now + writingMs) return
  const at = now + youngMs
  const isWritten = await tryWrite(
    table.update(fileRows.key({ userId, agentId }), {
      set: { userId, agentId, collectAt: at, ...filesDue.at(agentId, at) },
      if: 'attribute_not_exists(#deletedAt)',
    }),
  )
  if (!isWritten) throw notFound('Agent')
}
