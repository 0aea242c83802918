import * as z from 'zod'
import { type HttpAnswer, sendRequest } from '../../platform/http-client/client.ts'
import { targetOf } from '../../platform/http-client/connections.ts'
import { HttpFailure, neverSent } from '../../platform/http-client/failure.ts'
import { requireSecure } from '../../platform/http-client/secure.ts'
import type { OrderOutcome, VideoProvider } from './port.ts'
import { shown, wordsIn } from './words.ts'

export interface VideoSettings {
  deployed: boolean
  /** VIDEO_API_URL, `/v1` included. */
  apiUrl: string
  apiKey: string
  model: string
}

/** An order may be looked at by a filter for a while before it is taken. */
export const orderMs = 60_000
const lookMs = 20_000

/** Of answers that are no videos. */
const maxBytes = 1_048_576

/** 512 MB: minutes of video in the highest quality that is made today. */
export const maxVideoBytes = 536_870_912

/** A function lives 15 minutes, and puts the last part away in the rest. */
const copyTimeouts = { idleMs: 30_000, totalMs: 13 * 60_000 }

/** What is read of a video object of OpenAI's API: platform.openai.com/docs/api-reference/videos. */
const video = z.object({
  // It becomes a segment of a path.
  id: z
    .string()
    .min(1)
    .max(200)
    .refine((id) => id !== '.' && id !== '..'),
  status: z.string(),
  error: z.unknown().optional(),
})

/** Statuses that say that a request was turned away before it was taken: too early, or too many of them. */
const turnsAway = new Set([425, 429])

/** An error in the API's own form: OpenAI's. */
const ownError = z.object({ error: z.object({ message: z.string() }) })

/**
 * Whether an order was surely not taken. A 503 is also what something between here and the provider says once it has
 * passed a request on and heard nothing; it counts only where the API itself says it, in its own form.
 */
function isTurnedAway(status: number, json: unknown): boolean {
  return turnsAway.has(status) || (status === 503 && ownError.safeParse(json).success)
}

/** Statuses that may be another a moment later, also those of a key that is being exchanged. */
const isPassing = (status: number) =>
  status >= 500 || [401, 403, 408, 425, 429].includes(status) || isRedirect(status)

/** No provider of this form redirects, so what it says so early in its life is not its last word. */
const isRedirect = (status: number) => status < 200 || (status >= 300 && status <= 399)

/** A video provider by OpenAI's API, which others offer in the same form. @throws Error for an address without TLS */
export function openaiVideos({ deployed, apiUrl, apiKey, model }: VideoSettings): VideoProvider {
  requireSecure(new URL(apiUrl), deployed)
  const authorization = `Bearer ${apiKey}`
  const words = (text: string) => shown(text, apiKey)
  const describe = ({ message }: HttpFailure) => words(`The video provider failed: ${message}`)

  async function said(answer: HttpAnswer): Promise<{ json: unknown; words: string }> {
    const json = parse((await answer.whole()).toString())
    const none = `The video provider answered with status ${answer.status}`
    return { json, words: words(wordsIn(json) ?? none) }
  }

  const get = (path: string, timeouts: { idleMs?: number; totalMs: number }, most: number) =>
    sendRequest({
      target: targetOf(apiUrl + path),
      headers: { authorization },
      timeouts,
      maxBytes: most,
    })

  return {
    describe,

    async order({ jobId, prompt, seconds, size }) {
      try {
        // Never over a shared connection: it would be sent again where the server closes that too early.
        const answer = await sendRequest({
          target: targetOf(`${apiUrl}/videos`),
          json: {
            model,
            prompt,
            ...(seconds !== undefined && { seconds: String(seconds) }),
            ...(size !== undefined && { size }),
          },
          headers: { authorization, 'idempotency-key': jobId },
          timeouts: { totalMs: orderMs },
          maxBytes,
        })
        return outcomeOf(answer, await said(answer))
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error
        return { kind: neverSent(error) ? 'turned-away' : 'unknown', words: describe(error) }
      }
    },

    async look(providerId) {
      try {
        const answer = await get(pathOf(providerId), { totalMs: lookMs }, maxBytes)
        const { json, words: text } = await said(answer)
        if (isPassing(answer.status)) return { kind: 'unclear', words: text }
        if (answer.status >= 400) return { kind: 'failed', words: text }
        const parsed = video.safeParse(json)
        if (!parsed.success) return { kind: 'unclear', words: noVideo }
        const { status, error } = parsed.data
        if (status === 'completed') return { kind: 'made' }
        if (status !== 'failed' && status !== 'cancelled' && status !== 'canceled')
          return { kind: 'pending' }
        const reason = wordsIn({ error }) ?? `The video provider says that the video is ${status}`
        return { kind: 'failed', words: words(reason) }
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error
        return { kind: 'unclear', words: describe(error) }
      }
    },

    async content(providerId) {
      try {
        const answer = await get(`${pathOf(providerId)}/content`, copyTimeouts, maxVideoBytes)
        const type = answer.headers['content-type'] ?? ''
        if (answer.status === 200 && /^(?:video\/|application\/octet-stream)/.test(type))
          return { kind: 'video', body: answer.body }
        if (answer.status === 200) {
          answer.close()
          return { kind: 'unclear', words: 'What the video provider sends is no video' }
        }
        const { words: text } = await said(answer)
        return { kind: isPassing(answer.status) ? 'unclear' : 'failed', words: text }
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error
        return { kind: 'unclear', words: describe(error) }
      }
    },
  }
}

const noVideo = 'The video provider’s answer is no video object'

function outcomeOf(
  { status, headers }: HttpAnswer,
  { json, words }: { json: unknown; words: string },
): OrderOutcome {
  if (isTurnedAway(status, json)) return { kind: 'turned-away', words, ...retryAfter(headers) }
  if (status >= 400 && status <= 499 && status !== 408) return { kind: 'refused', words }
  if (status < 200 || status > 299) return { kind: 'unknown', words }
  const parsed = video.safeParse(json)
  if (!parsed.success) return { kind: 'unknown', words: noVideo }
  return { kind: 'accepted', providerId: parsed.data.id }
}

function retryAfter(headers: HttpAnswer['headers']): { retryAfterSeconds?: number } {
  const seconds = Number(headers['retry-after'])
  return Number.isInteger(seconds) && seconds > 0 ? { retryAfterSeconds: seconds } : {}
}

function pathOf(providerId: string): string {
  return `/videos/${encodeURIComponent(providerId)}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
