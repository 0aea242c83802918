import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { parseRequest, refuseFields, serviceTier } from '../../parse.ts'
import { refusedFields } from '../../request-fields.ts'
import { modelName } from '../fields.ts'

/** OpenAI's formats, and Groq's `ogg` and `mulaw`: https://console.groq.com/docs/text-to-speech. */
const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm', 'ogg', 'mulaw'] as const

/** OpenAI's form: https://github.com/openai/openai-openapi (CreateSpeechRequest of 2026-08-21). */
const speechRequest = once(() =>
  z.looseObject({
    model: modelName(),
    input: z.string().min(1, 'input must not be empty').max(100_000),
    voice: z.union([z.string().min(1), z.looseObject({ id: z.string().min(1) })]),
    instructions: z.string().nullish(),
    response_format: z
      .enum(formats, { error: `response_format must be one of ${formats.join(', ')}` })
      .nullish(),
    speed: z.number().min(0.25).max(4).nullish(),
    stream_format: z
      .enum(['audio', 'sse'], { error: 'stream_format must be audio or sse' })
      .nullish(),
    service_tier: serviceTier(),
  }),
)

export type SpeechRequest = z.output<ReturnType<typeof speechRequest>>

/** The schema of the request for the API document. */
export const documentedSpeechRequest = speechRequest

/** @throws PlatformError 400 with the first field that is invalid or adds uncounted cost */
export function parseSpeechRequest(body: Readonly<Record<string, unknown>>): SpeechRequest {
  const request = parseRequest(speechRequest(), body)
  refuseFields(body, refusedFields)
  return request
}
