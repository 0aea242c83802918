import * as z from 'zod'
import { type HttpAnswer, sendRequest } from '#shared/platform/http-client/client.ts'
import { targetOf } from '#shared/platform/http-client/connections.ts'
import { HttpFailure, neverSent } from '#shared/platform/http-client/failure.ts'
import { requireSecure } from '#shared/platform/http-client/secure.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import { redact } from '#shared/platform/log.ts'
import type { OrderOutcome, VideoProvider } from './port.ts'

export interface VideoSettings {
  deployed: boolean
  /** VIDEO_API_URL, including `/v1`. */
  apiUrl: string
  apiKey: string
  model: string
}

/** The timeout of an order, which the provider may check for some time before it accepts it. */
const orderMs = 60_000
const lookMs = 20_000

/** The maximum size of a response that is not a video. */
const maxBytes = 1_048_576

/** 512 MB: several minutes of video in today's highest quality. */
const maxVideoBytes = 536_870_912

/** A function runs for at most 15 minutes; the rest is for storing the last part. */
const copyTimeouts = { idleMs: 30_000, totalMs: 13 * 60_000 }

/** The fields of OpenAI's video object: platform.openai.com/docs/api-reference/videos. */
const video = z.object({
  // Becomes a path segment.
  id: z
    .string()
    .min(1)
    .max(200)
    .refine((id) => id !== '.' && id !== '..'),
  status: z.string(),
  error: z.unknown().optional(),
})

/** Statuses of a request that was rejected before it was accepted: too early, or too many requests. */
const temporaryStatuses = new Set([425, 429])

/** An error in OpenAI's format. */
const ownError = z.object({ error: z.object({ message: z.string() }) })

/**
 * Reports whether it is certain that an order was not accepted. A proxy may respond 503 after it has forwarded a
 * request, so 503 is only certain in the API's own error format.
 */
function isTurnedAway(status: number, json: unknown): boolean {
  return temporaryStatuses.has(status) || (status === 503 && ownError.safeParse(json).success)
}

/** Temporary statuses, including 401 and 403 while the key is being rotated. */
const isPassing = (status: number) =>
  status >= 500 || [401, 403, 408, 425, 429].includes(status) || isRedirect(status)

/** Providers with this API do not redirect, so a redirect is temporary. */
const isRedirect = (status: number) => status < 200 || (status >= 300 && status <= 399)

/**
 * Returns a provider with OpenAI's video API, which other vendors also offer.
 * @throws Error for a URL without TLS
 */
export function openaiVideos({ deployed, apiUrl, apiKey, model }: VideoSettings): VideoProvider {
  requireSecure(new URL(apiUrl), deployed)
  const authorization = `Bearer ${apiKey}`
  const shown = (text: string) => publicText(text, apiKey)
  const describe = ({ message }: HttpFailure) => shown(`The video provider failed: ${message}`)

  async function readAnswer(answer: HttpAnswer): Promise<{ json: unknown; message: string }> {
    const json = parse((await answer.whole()).toString())
    const none = `The video provider responded with status ${answer.status}`
    return { json, message: shown(errorTextIn(json) ?? none) }
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
        // Uses a new connection: on a reused one, the order would be sent again if the server closed it too early.
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
        return outcomeOf(answer, await readAnswer(answer))
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error
        return { kind: neverSent(error) ? 'turned-away' : 'unknown', message: describe(error) }
      }
    },

    async look(providerId) {
      try {
        const answer = await get(pathOf(providerId), { totalMs: lookMs }, maxBytes)
        const { json, message: text } = await readAnswer(answer)
        if (isPassing(answer.status)) return { kind: 'unclear', message: text }
        if (answer.status >= 400) return { kind: 'failed', message: text }
        const parsed = video.safeParse(json)
        if (!parsed.success) return { kind: 'unclear', message: noVideo }
        const { status, error } = parsed.data
        if (status === 'completed') return { kind: 'made' }
        if (status !== 'failed' && status !== 'cancelled' && status !== 'canceled')
          return { kind: 'pending' }
        const reason = errorTextIn({ error }) ?? `The video provider reports the video as ${status}`
        return { kind: 'failed', message: shown(reason) }
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error
        return { kind: 'unclear', message: describe(error) }
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
          return { kind: 'unclear', message: 'The video provider’s content is not a video' }
        }
        const { message: text } = await readAnswer(answer)
        return { kind: isPassing(answer.status) ? 'unclear' : 'failed', message: text }
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error
        return { kind: 'unclear', message: describe(error) }
      }
    },
  }
}

const noVideo = 'The video provider’s response is not a video object'

function outcomeOf(
  { status, headers }: HttpAnswer,
  { json, message }: { json: unknown; message: string },
): OrderOutcome {
  if (isTurnedAway(status, json)) return { kind: 'turned-away', message, ...retryAfter(headers) }
  if (status >= 400 && status <= 499 && status !== 408) return { kind: 'refused', message }
  if (!isSuccess(status)) return { kind: 'unknown', message }
  const parsed = video.safeParse(json)
  if (!parsed.success) return { kind: 'unknown', message: noVideo }
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

/** Longer texts are truncated. */
const longestText = 500

/** API keys in providers' texts, also truncated or masked ones. */
const quotedKey = /\b(?:sk|pk|rk|ak)[-_][\w*.-]{6,}/gi

/** Returns a provider's text for the user: one line of limited length, without anything that resembles a key. */
function publicText(message: string, secret: string): string {
  const plain = message
    .replaceAll(secret, '[redacted]')
    .replace(quotedKey, '[redacted]')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .toWellFormed()
    .trim()
  const text = String(redact(plain))
  return text.length > longestText ? `${text.slice(0, longestText - 1).toWellFormed()}…` : text
}

/**
 * Returns the error text of a response, in one of the known formats: `{error: {message}}`, `{error: text}`,
 * `{message}`.
 */
function errorTextIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { error, message, code } = answer as Record<string, unknown>
  for (const word of [error, message, code])
    if (typeof word === 'string' && word.trim() !== '') return word
  return errorTextIn(error)
}
