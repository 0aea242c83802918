import { agentRows } from '#shared/agents/record/rows.ts'
import { notFound } from '#shared/platform/errors.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { fileLimit } from '../change.ts'
import { fileRows, type FilesRow } from '../rows.ts'
import type { Part } from '../tree/entry.ts'
import type { Totals } from '../tree/tree.ts'
import { type ContainerContext, filesHeld, filesOf } from './held.ts'

export interface OpenedFiles extends Totals {
  version: number
  origin: string
  root: Part | null
  fileLimit: number
}

/**
 * Gives the files to a container of the agent's current generation, so that no earlier container can commit any more. A
 * container that holds them gets their newest state.
 * @throws PlatformError 404 for a deleted agent, 409 FILES_HELD
 */
export function openFiles(
  ctx: ContainerContext,
  { generation }: { generation: number },
): Promise<OpenedFiles> {
  const ids = filesOf(ctx, generation)
  const { table } = ctx
  return retryOptimistically(async () => {
    const [item, agentItem] = await table.getMany([fileRows.key(ids), agentRows.key(ids)])
    const row = item && fileRows.parse(item)
    const agent = agentItem && agentRows.parse(agentItem)
    if (agent === undefined || agent.deleting || row?.deletedAt !== undefined)
      throw notFound('Agent')
    if (row?.holder === generation && row.origin !== undefined) return opened(row, row.origin)
    if (agent.generation !== generation || agent.desired !== 'running') throw filesHeld()
    const origin = row?.origin ?? newSeed()
    const { holder } = row ?? {}
    const refusals = await tryCommit(table, {
      files: {
        update: fileRows.key(ids),
        set: { ...ids, holder: generation, origin },
        ...ifUnchanged({ holder, origin: row?.origin, deletedAt: undefined }),
      },
      agent: {
        check: agentRows.key(ids),
        if: '#generation = :generation AND attribute_not_exists(#deleting)',
        values: { generation },
      },
    })
    return refusals === undefined ? opened(row, origin) : overtaken
  })
}

function opened(row: FilesRow | undefined, origin: string): OpenedFiles {
  const { version = 0, root = null, bytes = 0, files = 0 } = row ?? {}
  return { version, origin, root, bytes, files, fileLimit }
}
