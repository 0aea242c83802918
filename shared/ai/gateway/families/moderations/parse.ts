import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { parseRequest, refuseFields, serviceTier } from '../../parse.ts'
import { refusedFields } from '../../request-fields.ts'
import { modelName } from '../fields.ts'

/** OpenAI's default: https://github.com/openai/openai-openapi (CreateModerationRequest of 2026-08-21). */
const defaultModel = 'omni-moderation-latest'

const moderationRequest = once(() => {
  const text = z.string().min(1, 'input must not be empty')
  const part = z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({
      type: z.literal('image_url'),
      image_url: z.looseObject({ url: z.string().min(1) }),
    }),
  ])
  const many = <T extends z.ZodType>(item: T) => z.array(item).min(1, 'input must not be empty')
  return z.looseObject({
    model: modelName().default(defaultModel),
    input: z
      .union([text, many(text), many(part)])
      .describe('A text, a list of texts, or a list of texts and images'),
    service_tier: serviceTier(),
  })
})

export type ModerationRequest = z.output<ReturnType<typeof moderationRequest>>

/** The schema of the request for the API document. */
export const documentedModerationRequest = moderationRequest

/** @throws PlatformError 400 with the first field that is invalid or adds uncounted cost */
export function parseModerationRequest(body: Readonly<Record<string, unknown>>): ModerationRequest {
  const request = parseRequest(moderationRequest(), body)
  refuseFields(body, refusedFields)
  return request
}
