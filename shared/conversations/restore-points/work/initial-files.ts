import { copyFiles } from '#shared/agents/files/copy.ts'
import { packReader } from '#shared/agents/files/packs.ts'
import { unpinFiles, unpinWrites } from '#shared/agents/files/pin.ts'
import { removeFiles } from '#shared/agents/files/remove.ts'
import { replaceWrites } from '#shared/agents/files/replace.ts'
import { pinRows } from '#shared/agents/files/rows.ts'
import { workspaceIn } from '#shared/agents/files/walk.ts'
import { sendStart } from '#shared/agents/fleet/requests/send.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { objectOf, type Restore, restoreRows, snapshotRows } from '../rows.ts'
import type { BeginContext, RestoreJobContext, RestoreWork } from './context.ts'
import { commitFiles } from './files.ts'
import { restoreItems } from './lease.ts'
import { releaseRoom } from './reserve.ts'

/** The time after which a job requests its continuation, in milliseconds. A copy continues with the packs that are missing. */
const budgetMs = 200_000

/** The time between two extensions of the lease, in milliseconds. */
const renewEveryMs = 20_000

/** Reports whether the files of a new agent are completed after it exists. */
export function isLater({ content: { initialFiles } }: Pick<RestoreWork, 'content'>): boolean {
  return initialFiles !== undefined && initialFiles.kind !== 'stored'
}

/**
 * Returns the writes about files for the transaction that creates the agent: its stored files, or the state of the
 * restore that still needs them.
 */
export async function initialWrites(
  { table }: Pick<BeginContext, 'table'>,
  { restore, content: { initialFiles: initial } }: RestoreWork,
) {
  const { userId, agentId, reserved, source, snapshotId: pinId } = restore
  if (initial !== undefined && initial.kind !== 'stored')
    return {
      restore: {
        update: restoreRows.key({ userId, agentId }),
        set: { made: true },
        ...restoreItems.still(restore),
      },
    }
  const unpinned = source && unpinWrites({ userId, agentId: source, pinId })
  return {
    ...(initial && (await replaceWrites({ table }, { userId, agentId, next: initial, reserved }))),
    ...(initial === undefined && { use: releaseRoom(restore) }),
    ...(unpinned && { sourcePin: unpinned.pin, source: unpinned.pinned }),
    restore: restoreItems.deleted(restore),
  }
}

/** Copies the files of the pinned source to the new agent. @returns undefined if it was stopped */
export async function copyPinned(
  { table, packs }: BeginContext,
  { userId, agentId, source, snapshotId: pinId }: Restore,
  goOn: () => Promise<boolean>,
) {
  if (packs === undefined || source === undefined) throw new Error('no packs to copy')
  const pin = await pinRows.find(table, { userId, agentId: source, pinId })
  if (pin === undefined) throw new Error(`the files of ${source} are not pinned`)
  const workspace = await workspaceIn(packReader(packs, source).readList, pin.root)
  if (workspace === undefined) throw new Error(`${source} has no workspace`)
  return copyFiles(packs, { from: source, to: agentId, workspace }, goOn)
}

/**
 * Completes the files of a new agent, and starts it. Every step is idempotent.
 * @returns false if the job must continue later
 */
export async function bringFiles(ctx: RestoreJobContext, work: RestoreWork): Promise<boolean> {
  const { table, log } = ctx
  const { restore } = work
  const { userId, agentId } = restore
  const agent = await readAgent(table, { userId, agentId })
  if (agent === undefined || agent.deleting) return end(ctx, work)
  if (!restore.hasFiles) {
    try {
      const next = await filesFor(ctx, work)
      if (next === undefined) return false
      const { reserved } = restore
      await commitFiles(ctx, restore, () =>
        replaceWrites({ table }, { userId, agentId, reserved, ...next }),
      )
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      // The archive is damaged. No caller waits for the error, and the rest of the agent is complete.
      log.warn('the files of a new agent were refused', { agentId, error })
    }
  }
  const started = await changeAgent(ctx, {
    agent,
    decide: ({ retryAt, ...current }) => ({ ...current, retryAt: undefined }),
  })
  if (started?.desired === 'running' && !started.deleting) await sendStart(ctx.queues, started)
  return end(ctx, work)
}

/** @returns undefined if the job must continue later */
async function filesFor(ctx: BeginContext, { restore, content, goOn }: RestoreWork) {
  const { initialFiles: initial } = content
  const begun = Date.now()
  let renewedAt = begun
  const renew = async () => {
    if (Date.now() < renewedAt + renewEveryMs) return
    renewedAt = Date.now()
    await goOn()
  }
  if (initial?.kind === 'archive') {
    const { key } = initial
    if (ctx.unpackFiles === undefined) throw new Error('no unpacking of archives')
    const files = await ctx.unpackFiles({ key, agentId: restore.agentId }, renew)
    return { next: files }
  }
  const next = await copyPinned(ctx, restore, async () => {
    await renew()
    return Date.now() < begun + budgetMs
  })
  return next && { next }
}

/** Removes what the restore needed, and at last its row. */
async function end(ctx: BeginContext, { restore, content }: RestoreWork): Promise<true> {
  const { table, objects, packs } = ctx
  const { userId, agentId, source, snapshotId } = restore
  if (source !== undefined)
    await unpinFiles({ table }, { userId, agentId: source, pinId: snapshotId })
  if (content.initialFiles?.kind === 'archive') await packs?.remove(content.initialFiles.key)
  const row = await restoreRows.find(table, { userId, agentId })
  await commit(table, {
    restore: restoreItems.deleted(restore),
    snapshot: { delete: snapshotRows.key({ userId, agentId, snapshotId }) },
    // It was not used up if the files were refused or the agent was deleted.
    room: row && releaseRoom(row),
  })
  await objects.remove(objectOf({ agentId, id: snapshotId }))
  return true
}

/** Removes the files of an agent that was not created. */
export async function removeInitialFiles(
  { table }: Pick<BeginContext, 'table'>,
  { userId, agentId, source, snapshotId, reserved }: Restore,
): Promise<void> {
  if (source !== undefined)
    await unpinFiles({ table }, { userId, agentId: source, pinId: snapshotId })
  if (reserved === undefined) return
  const store = userStore(table, userId)
  await removeFiles({ table, store, agentId, deadline: Infinity })
}
