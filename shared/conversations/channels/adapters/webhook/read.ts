import { signedHeaders } from '#shared/platform/webhook-signature.ts'
import type { ChannelEvent, Inbound, OpenChannel } from '../adapter.ts'
import { jsonBody } from '../json-body.ts'
import { filledTemplate } from './template.ts'

/**
 * Returns the message of a signed webhook. Its id is the `webhook-id`, which is the same for every attempt. An answer of
 * the channel itself is ignored: its signature is valid too, and its receiver may send it back without knowing the secret.
 */
export function readWebhook(
  { id: chat, settings }: OpenChannel,
  { headers, body }: Inbound,
  now: number,
): readonly ChannelEvent[] {
  if (isOwnAnswer(chat, body)) return []
  const { id } = signedHeaders(headers)
  const text = filledTemplate(settings['promptTemplate'] ?? '', Buffer.from(body).toString())
  const sender = { id: 'webhook', name: 'webhook', bot: true }
  return [{ id, chat, sender, text, files: [], replyTo: { to: id }, at: now, codes: false }]
}

/** Returns whether a body is an answer of a channel: `sendAnswer`. */
function isOwnAnswer(channelId: string, body: Uint8Array): boolean {
  const json = jsonBody(body)
  if (typeof json !== 'object' || json === null) return false
  return 'channelId' in json && json.channelId === channelId && 'answerTo' in json
}
