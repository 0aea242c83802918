import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import type { AdapterContext, ChannelFile, OpenChannel } from '../adapter.ts'
import { receivedFile } from '../limits.ts'
import { isTransient, refusedFile } from '../service-call.ts'
import { callTelegram, requestFile } from './api.ts'
import { botOf } from './fields.ts'

const located = z.object({ file_path: z.string() })

/**
 * Downloads a file of a message.
 * @throws PlatformError 413 for a file that is larger than a bot can download; as refusedFile; HttpFailure
 */
export async function download(
  ctx: AdapterContext,
  channel: OpenChannel,
  { id, name, mime, bytes = 0 }: ChannelFile,
) {
  const tooLarge = new PlatformError('payload-too-large', 'The file is larger than 20 MB')
  if (bytes > receivedFile) throw tooLarge
  const { token } = botOf(channel)
  const found = await callTelegram(ctx, { token, method: 'getFile', fields: { file_id: id } })
  if (!found.ok && found.description.includes('too big')) throw tooLarge
  const path = found.ok ? located.safeParse(found.result).data?.file_path : undefined
  if (path === undefined) throw refusal(found.ok ? 200 : found.status)
  const answer = await requestFile(ctx, { token, path, most: receivedFile })
  if (answer.status !== 200) {
    answer.close()
    throw refusal(answer.status)
  }
  return { name, mime, body: answer.body }
}

function refusal(status: number): PlatformError {
  return refusedFile(`Telegram does not hand out the file: status ${status}`, isTransient(status))
}
