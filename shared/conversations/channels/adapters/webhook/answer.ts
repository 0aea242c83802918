import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { AddressRefused } from '#shared/platform/http-client/public-url.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import { webhookHeaders } from '#shared/platform/webhook-signature.ts'
import type { AdapterContext, OpenChannel, Outcome, Part } from '../adapter.ts'
import { retryAfter } from '../service-call.ts'

interface Answer {
  replyTo: Readonly<Record<string, string>>
  part: Part
  key: string
}

/**
 * Posts a part of an answer as `{channelId, answerTo, text}`, or with `file {name, mime, base64}`, to the channel's
 * `answerUrl`. The `webhook-id` is the same for every attempt, so that the receiver can ignore a repetition.
 */
export async function sendAnswer(
  { http, now }: AdapterContext,
  { id: channelId, settings, secrets }: OpenChannel,
  { replyTo, part, key }: Answer,
): Promise<Outcome> {
  const { answerUrl: url } = settings
  if (url === undefined) return { state: 'failed', reason: 'The channel has no answerUrl' }
  const content =
    'text' in part
      ? { text: part.text }
      : {
          file: {
            name: part.file.name,
            mime: part.file.mime,
            base64: Buffer.from(part.file.body).toString('base64'),
          },
        }
  const body = JSON.stringify({ channelId, answerTo: replyTo['to'] ?? null, ...content })
  const signature = webhookHeaders(secrets['secret'] ?? '', { id: key, body, now })
  try {
    const answer = await http({
      url,
      headers: { ...signature, 'content-type': 'application/json' },
      body: Buffer.from(body),
      totalMs: 5000,
    })
    answer.close()
    return outcomeOf(answer.status, retryAfter(answer))
  } catch (error) {
    if (error instanceof AddressRefused)
      return { state: 'failed', reason: 'The address of answerUrl is not allowed' }
    if (error instanceof HttpFailure) return { state: 'retry', reason: error.message }
    throw error
  }
}

function outcomeOf(status: number, afterSeconds: number | undefined): Outcome {
  if (isSuccess(status)) return { state: 'sent' }
  const reason = `answerUrl responded with the status ${status}`
  if (status === 429) return { state: 'retry', afterSeconds, reason }
  return { state: status >= 500 ? 'retry' : 'failed', reason }
}
