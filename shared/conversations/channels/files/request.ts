import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { channelWaitingRows } from '../rows.ts'
import { channelDeliveries } from '../topic.ts'
import type { Due } from '../turns/due.ts'
import { isMissing, type WaitingFile } from './waiting.ts'

/**
 * The milliseconds after which a request is treated as lost, longer than the job can run (`timeoutSeconds` of
 * channel-deliveries).
 */
export const lostMs = 90_000

/** The most requests for the files of an event. */
const maxRequests = 4

const notDownloaded = 'It could not be downloaded'

/**
 * Requests the download of an event's files by a function that reaches the service, unless a download is under way.
 * After `maxRequests`, each missing file gets a reason instead.
 */
export async function requestDownload(
  { table, queues, log }: Pick<Context, 'table' | 'log'> & Sends<'channel-deliveries'>,
  { chat: { userId, agentId, channelId, chat }, event }: Due,
  now: number,
): Promise<void> {
  const { order, files, downloads: { count, until } = { count: 0, until: 0 } } = event
  if (!files.some(isMissing) || until > now) return
  const ref = { userId, agentId, channelId, chat }
  const key = channelWaitingRows.key({ ...ref, order })
  if (count >= maxRequests) {
    const given = files.map((file) => (isMissing(file) ? { ...file, fault: notDownloaded } : file))
    await table.update(key, { set: { files: given }, if: 'attribute_exists(pk)' })
    return
  }
  const named = files.map((file) => withPack(file, now))
  await table.update(key, {
    set: { files: named, downloads: { count: count + 1, until: now + lostMs } },
    if: 'attribute_exists(pk)',
  })
  await queues
    .send(channelDeliveries, { ...ref, download: { order } })
    .catch((error: unknown) => log.warn('files are requested again later', { channelId, error }))
}

function withPack(file: WaitingFile, now: number): WaitingFile {
  return file.pack === undefined ? { ...file, pack: newSeed(now) } : file
}
