import * as z from 'zod'
import type { PlatformError } from '#shared/platform/errors.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import type { Adapter, AdapterContext, OpenChannel, Outcome } from '../adapter.ts'
import { receivedFile } from '../limits.ts'
import {
  callService,
  isOfService,
  isTransient,
  lostOutcome,
  openService,
  refusedFile,
} from '../service-call.ts'
import { callSlack, refusalOf } from './api.ts'

/**
 * Opens a file that a person shared. The token is sent only to hosts of Slack.
 * @throws PlatformError as refusedFile; HttpFailure
 */
export const download: NonNullable<Adapter['download']> = async (ctx, channel, file) => {
  const answer = await callSlack(ctx, channel, 'files.info', { file: file.id })
  const refused = refusalOf(answer)
  if (refused !== undefined) throw refusal(refused.reason, refused.state === 'retry')
  const found = z
    .object({ file: z.object({ url_private_download: z.string() }) })
    .safeParse(answer.body)
  const url = found.data?.file.url_private_download ?? ''
  if (!isOfService(url, ctx.config.SLACK_API_URL)) throw refusal('the file is not stored at Slack')
  const call = { url, token: channel.secrets['botToken'] }
  const { status, headers, body, close } = await openService(ctx, call, receivedFile)
  // Without the scope files:read, Slack answers 200 with its page for signing in.
  const page = String(headers['content-type']).startsWith('text/html') && file.mime !== 'text/html'
  if (!isSuccess(status) || page) {
    close()
    if (page) throw refusal('the app lacks the scope files:read')
    throw refusal(`status ${status}`, isTransient(status))
  }
  return { name: file.name, mime: file.mime, body }
}

function refusal(reason: string, mayRepeat = false): PlatformError {
  return refusedFile(`Slack does not hand out the file: ${reason}`, mayRepeat)
}

export interface Upload {
  name: string
  body: Uint8Array<ArrayBuffer>
}

/** Uploads a file and shares it. It is visible only after the last of the three calls. */
export async function share(
  ctx: AdapterContext,
  channel: OpenChannel,
  { channel: to = '', thread }: Readonly<Record<string, string>>,
  { name, body }: Upload,
): Promise<Outcome> {
  const place = await callSlack(ctx, channel, 'files.getUploadURLExternal', {
    filename: name,
    length: String(body.length),
  }).catch(retried)
  if ('state' in place) return place
  const refused = refusalOf(place)
  if (refused !== undefined) return refused
  const target = z
    .object({ upload_url: z.string(), file_id: z.string() })
    .safeParse(place.body).data
  if (target === undefined || !isOfService(target.upload_url, ctx.config.SLACK_API_URL))
    return { state: 'failed', reason: 'Slack: the address of the upload is not one of Slack' }
  const type = 'application/octet-stream'
  const stored = await callService(ctx, { url: target.upload_url, type, body }).catch(retried)
  if ('state' in stored) return stored
  if (!isSuccess(stored.status))
    return { state: 'retry', reason: `Slack: the upload has status ${stored.status}` }
  try {
    const done = await callSlack(ctx, channel, 'files.completeUploadExternal', {
      files: JSON.stringify([{ id: target.file_id, title: name }]),
      channel_id: to,
      ...(thread !== undefined && { thread_ts: thread }),
    })
    return refusalOf(done) ?? { state: 'sent', serviceId: target.file_id }
  } catch (error) {
    return lostOutcome(error)
  }
}

/** A step without a visible effect may be repeated after any failure. */
function retried(error: unknown): Outcome {
  return { state: 'retry', reason: lostOutcome(error).reason }
}
