import { storePack } from '#shared/agents/files/store-pack.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { AddressRefused } from '#shared/platform/http-client/public-url.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { ConditionFailed } from '#shared/platform/table/port.ts'
import { adapterContext, type CallsServices } from '../adapter-context.ts'
import { adapterOf } from '../adapters/index.ts'
import { receivedFile, receivedFiles } from '../adapters/limits.ts'
import { openChannel } from '../channel.ts'
import { channelRows, channelWaitingRows } from '../rows.ts'
import { channelDeliveries, channelTurns, type DownloadMessage } from '../topic.ts'
import { lostMs } from './request.ts'
import { isMissing, type WaitingFile, withFile } from './waiting.ts'

export type DownloadsContext = Pick<Context, 'table'> &
  CallsServices &
  Can<'packs'> &
  Sends<'channel-deliveries' | 'channel-turns'>

type Downloaded = { content: Buffer } | { fault: string } | 'later'

const tooLarge = `It is larger than ${receivedFile >> 20} MB`
const tooMuch = `The files of the message are together larger than ${receivedFiles >> 20} MB`

/**
 * Downloads the first missing file of an event and stores its content as a pack. Requests the next one, or the turn of
 * the event after the last. A repetition stores the same pack again.
 */
export async function downloadFile(ctx: DownloadsContext, message: DownloadMessage): Promise<void> {
  const { table, queues, clock = Date.now } = ctx
  const { download, ...ref } = message
  const event = await channelWaitingRows.find(table, { ...ref, ...download })
  const index = event?.files.findIndex(isMissing) ?? -1
  const file = event?.files[index]
  if (event === undefined || file?.pack === undefined) return
  const room = receivedFiles - event.files.reduce((sum, { stored = 0 }) => sum + stored, 0)
  const result = await contentOf(ctx, message, { file, room })
  const { count } = event.downloads ?? { count: 1 }
  if (result === 'later') {
    await save(ctx, message, { downloads: { count, until: 0 } })
    return
  }
  if ('content' in result)
    await storePack(ctx, { ...ref, pack: file.pack, content: result.content })
  const change = 'content' in result ? { stored: result.content.length } : result
  const files = withFile(event.files, index, change)
  const downloads = { count, until: clock() + lostMs }
  if (!(await save(ctx, message, { files, downloads }))) return
  if (files.some(isMissing)) await queues.send(channelDeliveries, message)
  else await queues.send(channelTurns, ref)
}

/** @returns whether the event still waits */
async function save(
  { table }: DownloadsContext,
  { download, ...ref }: DownloadMessage,
  set: object,
): Promise<boolean> {
  const key = channelWaitingRows.key({ ...ref, ...download })
  try {
    await table.update(key, { set: { ...set }, if: 'attribute_exists(pk)' })
    return true
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    return false
  }
}

async function contentOf(
  ctx: DownloadsContext,
  ref: DownloadMessage,
  { file, room }: { file: WaitingFile; room: number },
): Promise<Downloaded> {
  const channel = await channelRows.find(ctx.table, ref)
  const download = channel && adapterOf(channel.kind).download
  if (channel === undefined || download === undefined)
    return { fault: 'The channel hands out no files' }
  if ((file.bytes ?? 0) > receivedFile) return { fault: tooLarge }
  if ((file.bytes ?? 0) > room) return { fault: tooMuch }
  try {
    const { body } = await download(adapterContext(ctx), await openChannel(ctx, channel), file)
    return await whole(body, room)
  } catch (error) {
    ctx.log.warn('a file of a channel was not downloaded', { channelId: channel.id, error })
    if (error instanceof PlatformError)
      return error.kind === 'unavailable' ? 'later' : { fault: error.message }
    if (!(error instanceof HttpFailure)) throw error
    if (error instanceof AddressRefused) return { fault: 'Its address is not allowed' }
    return error.kind === 'too-large' ? { fault: tooLarge } : 'later'
  }
}

async function whole(body: AsyncIterable<Uint8Array>, room: number): Promise<Downloaded> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > receivedFile) return { fault: tooLarge }
    if (size > room) return { fault: tooMuch }
    chunks.push(chunk)
  }
  return { content: Buffer.concat(chunks) }
}
