import type { FilesContext } from '#shared/agents/files/change.ts'
import { putPack } from '#shared/agents/files/put-pack.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { channelChatRows, channelWaitingRows } from '../rows.ts'
import type { Due } from '../turns/due.ts'
import { chatWork } from '../work.ts'
import { inboxPath } from './path.ts'
import { isMissing, isStored, type WaitingFile, withFile } from './waiting.ts'

/**
 * Commits the downloaded files of an event to the agent's files, each in one transaction with its path. A file that
 * cannot be committed gets the reason instead of a path.
 * @returns all files; undefined while some are downloaded, or while the agent's container is busy with its files
 * @throws LeaseLost
 */
export async function keepFiles(
  ctx: FilesContext,
  { chat, channel, agent, event }: Due,
): Promise<readonly WaitingFile[] | undefined> {
  const key = channelWaitingRows.key({ ...chat, order: event.order })
  let { files } = event
  if (files.some(isMissing)) return undefined
  for (const [index, file] of files.entries()) {
    const { name, pack = '', stored: size = 0 } = file
    if (!isStored(file)) continue
    const path = inboxPath(channel.kind, { name, pack })
    const kept = withFile(files, index, { path })
    try {
      await putPack(ctx, {
        agent,
        path,
        pack,
        size,
        also: {
          event: { update: key, set: { files: kept }, if: 'attribute_exists(pk)' },
          chat: { check: channelChatRows.key(chat), ...chatWork.still(chat) },
        },
        refused: () => new LeaseLost(chat.channelId),
      })
      files = kept
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      if (error.kind === 'unavailable') return undefined
      ctx.log.info('a file of a channel was not kept', { channelId: channel.id, error })
      files = withFile(files, index, { fault: faultOf(error) })
      await ctx.table.update(key, { set: { files }, if: 'attribute_exists(pk)' })
    }
  }
  return files
}

function faultOf({ kind, code }: PlatformError): string {
  if (kind === 'payment-required') return 'The storage is full'
  if (code === 'FILE_LIMIT_REACHED') return 'The agent has too many files already'
  return kind === 'conflict' ? 'A file is in the place of its folder' : 'It is no longer stored'
}
