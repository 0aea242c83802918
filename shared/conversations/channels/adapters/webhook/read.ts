import { signedHeaders } from '#shared/platform/webhook-signature.ts'
import type { ChannelEvent, Inbound, OpenChannel } from '../adapter.ts'
import { filledTemplate } from './template.ts'

/** Returns the message of a signed webhook. Its id is the `webhook-id`, which is the same for every attempt. */
export function readWebhook(
  { id: chat, settings }: OpenChannel,
  { headers, body }: Inbound,
  now: number,
): readonly ChannelEvent[] {
  const { id } = signedHeaders(headers)
  const text = filledTemplate(settings['promptTemplate'] ?? '', Buffer.from(body).toString())
  const sender = { id: 'webhook', name: 'webhook', bot: true }
  return [{ id, chat, sender, text, files: [], replyTo: { to: id }, at: now, codes: false }]
}
