import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { PlatformError } from '#shared/platform/errors.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import type { Adapter, AdapterContext, OpenChannel } from '../adapter.ts'
import { receivedFile } from '../limits.ts'
import {
  isOfService,
  isTransient,
  openService,
  refusedFile,
  type ServiceAnswer,
} from '../service-call.ts'
import { callWhatsApp } from './api.ts'

/** The hosts that serve media, besides the host of the API. */
const mediaHosts = ['lookaside.fbsbx.com']

/**
 * Opens a file that a person sent, in two steps: its address, which is valid for five minutes, then its bytes. The
 * token is sent only to hosts of Meta.
 * @throws PlatformError as refusedFile; HttpFailure
 */
export const download: NonNullable<Adapter['download']> = async (ctx, channel, file) => {
  const number = channel.settings['phoneNumberId'] ?? ''
  const described = await callWhatsApp(ctx, channel, `${file.id}?phone_number_id=${number}`)
  const found = z.object({ url: z.string() }).safeParse(described.json).data
  if (found === undefined) throw refusedWith(described.status)
  if (!isOfService(found.url, ctx.config.WHATSAPP_API_URL, mediaHosts))
    throw refusal('its address is not one of Meta')
  const call = { url: found.url, token: channel.secrets['accessToken'] }
  const { status, body, close } = await openService(ctx, call, receivedFile)
  if (!isSuccess(status)) {
    close()
    throw refusedWith(status)
  }
  return { name: file.name, mime: file.mime, body }
}

function refusedWith(status: number): PlatformError {
  return refusal(`status ${status}`, isTransient(status))
}

function refusal(reason: string, mayRepeat = false): PlatformError {
  return refusedFile(`WhatsApp does not hand out the file: ${reason}`, mayRepeat)
}

/** Uploads a file to the channel's number, without a message. @throws HttpFailure without a whole response */
export function upload(
  ctx: AdapterContext,
  channel: OpenChannel,
  file: { name: string; mime: string; body: Uint8Array },
): Promise<ServiceAnswer> {
  const boundary = randomUUID()
  const name = file.name.replaceAll(/["\r\n]/g, '_')
  const field = (disposition: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`
  const head = `${field('name="messaging_product"', 'whatsapp')}${field('name="type"', file.mime)}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${file.mime}\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file.body, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const type = `multipart/form-data; boundary=${boundary}`
  return callWhatsApp(ctx, channel, `${channel.settings['phoneNumberId']}/media`, { type, body })
}
