import type { Adapter } from '../adapter.ts'
import { lostOutcome } from '../service-call.ts'
import { callSlack, refusalOf } from './api.ts'
import { share } from './files.ts'

/** Sends a message, or shares a file, where the event came from: in its thread. */
export const send: Adapter['send'] = async (ctx, channel, { replyTo, part }) => {
  const { channel: to = '', thread } = replyTo
  if ('file' in part) return share(ctx, channel, replyTo, part.file)
  try {
    const answer = await callSlack(ctx, channel, 'chat.postMessage', {
      channel: to,
      text: part.text,
      ...(thread !== undefined && { thread_ts: thread }),
      // A preview would request an address of the agent's choice.
      unfurl_links: 'false',
      unfurl_media: 'false',
    })
    const sent = { state: 'sent', serviceId: `${to}:${String(answer.body?.['ts'])}` } as const
    return refusalOf(answer) ?? sent
  } catch (error) {
    return lostOutcome(error)
  }
}

/** Shows in the thread that the agent works; Slack clears it with the answer, or after two minutes. */
export const typing: NonNullable<Adapter['typing']> = async (ctx, channel, replyTo) => {
  const { channel: to = '', thread, ts = '' } = replyTo
  await callSlack(ctx, channel, 'assistant.threads.setStatus', {
    channel_id: to,
    thread_ts: thread ?? ts,
    status: 'is working on an answer…',
  })
}
