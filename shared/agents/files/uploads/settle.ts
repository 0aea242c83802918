import type { Agent } from '#shared/agents/record/agent.ts'
import { readAgent, locateAgent } from '#shared/agents/record/find.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { changeUse } from '../../storage/use.ts'
import { changeFiles, type FilesContext } from '../change.ts'
import { expectPacks } from '../collection/expect-packs.ts'
import { treePath, requireWritablePath } from '../faults.ts'
import { namesIn } from '../path.ts'
import { fileRows, type Upload, uploadRows } from '../rows.ts'
import type { Part } from '../tree/entry.ts'
import { uploadItems, uploadKey, uploadObject, uploadPack } from './items.ts'
import type { UploadMessage, UploadRef } from './topic.ts'

export type SettlesUploads = FilesContext & Sends<'file-uploads'>

/**
 * A link can be used until it expires, and a large upload that began before takes longer. After this time, an upload is
 * given up.
 */
const givenUpMs = 24 * 3_600_000

/** The time limit of a container's sync in milliseconds. A batch of messages shares the time of the job. */
const syncMs = 5000

/** The delay before the next attempt while the container is busy. */
const retrySeconds = 10

/** Commits the uploads of a message that are complete. */
export async function settleUploads(
  ctx: SettlesUploads,
  message: UploadMessage,
  now = Date.now(),
): Promise<void> {
  if ('Event' in message) return
  if ('uploadId' in message) return settle(ctx, message, now)
  for (const { s3 } of message.Records) {
    const ref = await refOf(ctx, decodeURIComponent(s3.object.key.replaceAll('+', ' ')))
    if (ref !== undefined) await settle(ctx, ref, now)
  }
}

/** Finds the upload of an object. The object of a deleted agent is removed. */
async function refOf({ table, packs }: SettlesUploads, key: string) {
  const [, agentId, uploadId] = /^files\/([^/]+)\/([^/]+)\.upload$/.exec(key) ?? []
  if (agentId === undefined || uploadId === undefined) return undefined
  const agent = await locateAgent(table, agentId)
  if (agent?.userId) return { userId: agent.userId, agentId, uploadId }
  await packs.remove(key)
  return undefined
}

async function settle(ctx: SettlesUploads, ref: UploadRef, now: number): Promise<void> {
  const { table, log } = ctx
  const row = await uploadRows.find(table, ref)
  // The upload is committed, or was given up: a collection removes the object if no root refers to it.
  if (row === undefined) {
    const files = await fileRows.find(table, ref)
    if (files !== undefined && files.deletedAt === undefined) await expectPacks(ctx, files)
    return
  }
  const upload = await uploadItems.claim(ctx, row, { message: ref, now })
  if (upload === undefined) return
  try {
    await step(ctx, upload, now)
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    log.warn('the lease of an upload was lost', { agentId: upload.agentId, uploadId: upload.id })
  }
}

async function step(ctx: SettlesUploads, upload: Upload, now: number): Promise<void> {
  const { table, packs } = ctx
  const { userId, agentId, expiresAt, reserved } = upload
  const stored = await packs.sizeOf(uploadObject(upload))
  const agent = await readAgent(table, { userId, agentId })
  if (stored !== undefined && agent !== undefined) return complete(ctx, agent, upload)
  if (now >= expiresAt + givenUpMs || agent === undefined) return giveUp(ctx, upload)
  const isOver = now >= expiresAt
  if (isOver && reserved > 0)
    await commit(
      table,
      {
        upload: { update: uploadKey(upload), set: { reserved: 0 }, ...uploadItems.still(upload) },
        use: changeUse(userId, { bytes: 0, reserved: -reserved }, unbounded),
      },
      { upload: () => new LeaseLost(upload.id) },
    )
  const next = isOver ? expiresAt + givenUpMs : expiresAt
  await uploadItems.later(ctx, upload, Math.ceil((next - now) / 1000))
}

/** Commits the file. Its content is not copied: the stored object is a pack of its own. */
async function complete(ctx: SettlesUploads, agent: Agent, upload: Upload): Promise<void> {
  const { userId, agentId, size, path, reserved } = upload
  const names = treePath(namesIn(path))
  const parts: Part[] = size === 0 ? [] : [[uploadPack(upload), 0, size]]
  try {
    await changeFiles(
      ctx,
      {
        userId,
        agentId,
        sync: { agent, names, timeoutMs: syncMs },
        reserved,
        also: { upload: uploadItems.deleted(upload) },
        refused: () => new LeaseLost(upload.id),
      },
      async ({ tree, requireRoom }) => {
        const before = await tree.find(names)
        await requireWritablePath(tree, names)
        const replaced = before === undefined || before === 'folder' ? 0 : before.size
        await requireRoom(size - replaced)
        await tree.put(names, { mtime: Date.now(), size, tag: `u-${upload.id}`, parts })
      },
    )
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.kind === 'unavailable') return uploadItems.later(ctx, upload, retrySeconds)
    // The agent is deleted, the storage is full, or a folder has the name: no attempt will succeed.
    ctx.log.info('an upload was refused', { agentId, uploadId: upload.id, reason: error.message })
    await giveUp(ctx, upload)
  }
}

/** Removes the object, the row and the reservation. */
async function giveUp({ table, packs }: SettlesUploads, upload: Upload): Promise<void> {
  await packs.remove(uploadObject(upload))
  await commit(
    table,
    {
      upload: uploadItems.deleted(upload),
      use: changeUse(upload.userId, { bytes: 0, reserved: -upload.reserved }, unbounded),
    },
    { upload: () => new LeaseLost(upload.id) },
  )
}

const unbounded = { quota: undefined, use: undefined }
