import { notFound } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { fileRows, filesDue, type FilesRow } from '../rows.ts'

/** An unused pack that is younger may be part of a commit in progress, so a collection leaves it. */
export const youngMs = 3_600_000

/** One announcement serves all writers that begin within this time. */
const sharedMs = 15 * 60_000

/** A writer stores its packs within this time. It is longer than a function can run, and than a link is valid. */
const writingMs = 30 * 60_000

type Announced = Pick<FilesRow, 'userId' | 'agentId' | 'collectAt' | 'announcedAt'>

/**
 * Requests a collection of unused packs before a writer stores packs, so that the packs of a killed writer are found. A
 * collection that is due already is not postponed: otherwise an agent that always writes would never have one.
 * @throws PlatformError 404 if the agent was deleted
 */
export async function expectPacks(
  { table }: Pick<Context, 'table'>,
  { userId, agentId, collectAt, announcedAt = 0 }: Announced,
  now = Date.now(),
): Promise<void> {
  if (collectAt !== undefined && announcedAt > now - sharedMs) return
  const key = fileRows.key({ userId, agentId })
  const isRequested = await tryWrite(
    table.update(key, {
      set: { announcedAt: now },
      if: 'attribute_exists(#collectAt) AND attribute_not_exists(#deletedAt)',
    }),
  )
  if (isRequested) return
  const at = now + youngMs
  const isWritten = await tryWrite(
    table.update(key, {
      set: { userId, agentId, announcedAt: now, collectAt: at, ...filesDue.at(agentId, at) },
      if: 'attribute_not_exists(#deletedAt)',
    }),
  )
  if (!isWritten) throw notFound('Agent')
}

/** Returns whether an announced writer may still store packs. */
export function mayStillWrite({ announcedAt = 0 }: Announced, now: number): boolean {
  return announcedAt > now - sharedMs - writingMs
}
