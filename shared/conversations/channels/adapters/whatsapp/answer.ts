import * as z from 'zod'
import type { Adapter, AdapterContext, OpenChannel, Outcome } from '../adapter.ts'
import { lostOutcome } from '../service-call.ts'
import { postMessage, refusalOf } from './api.ts'
import { upload } from './files.ts'
import { mediaKind, noMedia } from './media.ts'

type Content = Record<string, unknown>

/** Sends a message or a file to the person or the group that wrote. */
export const send: Adapter['send'] = async (ctx, channel, { replyTo, part, key }) => {
  const content =
    'text' in part ? textContent(part.text) : await fileContent(ctx, channel, part.file)
  if ('state' in content) return content as Outcome
  try {
    const answer = await postMessage(ctx, channel, {
      ...recipient(replyTo),
      ...content,
      biz_opaque_callback_data: key,
    })
    const sent = z
      .object({ messages: z.tuple([z.object({ id: z.string() })]) })
      .safeParse(answer.json).data
    const refused = refusalOf(answer)
    return refused ?? { state: 'sent', ...(sent && { serviceId: sent.messages[0].id }) }
  } catch (error) {
    return lostOutcome(error)
  }
}

function textContent(body: string): Content {
  return { type: 'text', text: { body, preview_url: false } }
}

/** Uploads a file. @returns the message's content, or the outcome of a failed upload */
async function fileContent(
  ctx: AdapterContext,
  channel: OpenChannel,
  file: { name: string; mime: string; body: Uint8Array },
): Promise<Content | Outcome> {
  const media = mediaKind(file.mime, file.body.length)
  if (media === undefined)
    return { state: 'failed', reason: noMedia({ mime: file.mime, size: file.body.length }) }
  const { kind, mime } = media
  const answer = await upload(ctx, channel, { ...file, mime }).catch(lostOutcome)
  // An upload has no visible effect and may be repeated.
  if ('state' in answer) return { state: 'retry', reason: 'WhatsApp: the upload got no answer' }
  const refused = refusalOf(answer)
  if (refused !== undefined) return refused
  const id = z.object({ id: z.string() }).safeParse(answer.json).data?.id
  return { type: kind, [kind]: { id, ...(kind === 'document' && { filename: file.name }) } }
}

/** Returns the recipient of a message: a group, a business-scoped user id, or a phone number. */
function recipient({ group, user, to }: Readonly<Record<string, string>>): Content {
  if (group !== undefined) return { recipient_type: 'group', to: group }
  return { recipient_type: 'individual', ...(user === undefined ? { to } : { recipient: user }) }
}

/** Marks the message as read, and shows that the agent works: for 25 seconds, or until its answer. */
export const typing: NonNullable<Adapter['typing']> = async (ctx, channel, { message }) => {
  await postMessage(ctx, channel, {
    status: 'read',
    message_id: message,
    typing_indicator: { type: 'text' },
  })
}
