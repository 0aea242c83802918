import { replaceWrites } from '#shared/agents/files/replace.ts'
import { fileRows, pinRows } from '#shared/agents/files/rows.ts'
import { agentAlive } from '#shared/agents/record/agent.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type Parts, tryCommit } from '#shared/platform/table/commit.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { type Restore, restoreRows } from '../rows.ts'
import type { RestoreWork } from './context.ts'
import { restoreItems } from './lease.ts'

type Work = Pick<RestoreWork, 'restore' | 'content'>

/** Returns the writes that replace the agent's files by the files of its restore point. */
export async function fileWrites(
  { table }: Pick<Context, 'table'>,
  { restore: { userId, agentId, snapshotId: pinId, reserved }, content: { files } }: Work,
) {
  const pin = files ? await pinRows.find(table, { userId, agentId, pinId }) : undefined
  if (files && pin === undefined) throw new Error(`the files of ${pinId} do not exist`)
  const pinned = pin && { next: pin, pinId }
  return replaceWrites({ table }, { userId, agentId, next: undefined, ...pinned, reserved })
}

/**
 * Replaces the files of an existing agent, once for a restore: a later attempt keeps what was written since. A restore
 * point of an earlier release contains no files and leaves them unchanged.
 * @param options.saved the restore point with the state before. It gets the files that are replaced, because some may
 * have been written after it was stored.
 * @throws LeaseLost
 */
export async function replaceFiles(
  ctx: Pick<Context, 'table'>,
  work: Work,
  { saved }: { saved: string },
): Promise<void> {
  const { table } = ctx
  const { restore, content } = work
  const { userId, agentId } = restore
  if (content.files === undefined || restore.hasFiles) return
  await commitFiles(ctx, restore, async () => {
    const pin = { userId, agentId, pinId: saved }
    const [row, pinned] = [await fileRows.find(table, pin), await pinRows.find(table, pin)]
    const { root, bytes, files } = row ?? {}
    return {
      ...(await fileWrites(ctx, work)),
      saved: root &&
        pinned && {
          update: pinRows.key(pin),
          set: { root, bytes, files },
          if: 'attribute_exists(pk)',
        },
    }
  })
}

/**
 * Writes the files of a restore in one transaction with the mark that they are written.
 * @param writesOf returns the writes of one attempt; called again if another writer was first
 * @throws LeaseLost
 */
export async function commitFiles(
  { table }: Pick<Context, 'table'>,
  restore: Restore,
  writesOf: () => Promise<Parts>,
): Promise<void> {
  const { userId, agentId } = restore
  await retryOptimistically(async () => {
    const refusals = await tryCommit(table, {
      ...(await writesOf()),
      restore: {
        update: restoreRows.key({ userId, agentId }),
        set: { hasFiles: true },
        remove: ['reserved'],
        ...restoreItems.still(restore),
      },
      agent: { check: agentRows.key({ userId, agentId }), ...agentAlive },
    })
    if (refusals?.restore !== undefined) throw new LeaseLost(restore.id)
    // The agent was deleted in the meantime.
    if (refusals?.agent !== undefined) return undefined
    return refusals === undefined ? undefined : overtaken
  })
}
