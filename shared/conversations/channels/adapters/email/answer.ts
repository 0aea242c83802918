import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { OpenChannel, Outcome, Part } from '../adapter.ts'
import { answerHtml } from './html.ts'
import { refusedAttachment } from './refused-attachment.ts'

interface Answer {
  replyTo: Readonly<Record<string, string>>
  part: Part
  key: string
}

/**
 * Requests the mail with a part of an answer, in the thread of the answered mail. The queue of mails sends it once,
 * however often it is requested with the same key.
 */
export async function sendAnswer(
  { mailer, objects }: Can<'mailer' | 'objects'>,
  { id, settings }: OpenChannel,
  { replyTo, part, key }: Answer,
): Promise<Outcome> {
  const { to, subject = 'Re:', inReplyTo, references } = replyTo
  const from = settings['address']
  if (to === undefined || from === undefined)
    return { state: 'failed', reason: 'The mail has no address to answer' }
  const once = `channel-${await sha256Hex(`${id}\n${key}`)}`
  const shared = {
    to,
    from,
    subject,
    once,
    headers: {
      // RFC 3834: programs do not answer a mail with this header.
      'Auto-Submitted': 'auto-replied',
      ...(inReplyTo !== undefined && { 'In-Reply-To': inReplyTo }),
      ...(references !== undefined && { References: references }),
    },
  }
  if ('text' in part) {
    await mailer.send({ ...shared, text: part.text, html: answerHtml(part.text) })
    return { state: 'sent' }
  }
  const { name, mime, body } = part.file
  const reason = refusedAttachment({ name, size: body.length })
  if (reason !== undefined) return { state: 'failed', reason }
  const object = `mails/out/${once}`
  await objects.put(object, body)
  await mailer.send({
    ...shared,
    text: name,
    html: answerHtml(name),
    attachments: [{ name, mime, key: object }],
  })
  return { state: 'sent' }
}
