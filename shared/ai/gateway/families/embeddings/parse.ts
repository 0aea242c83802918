import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { invalid, parseRequest, refuseFields, serviceTier } from '../../parse.ts'
import { refusedFields } from '../../request-fields.ts'
import { modelName } from '../fields.ts'

/** OpenAI's maximum: https://github.com/openai/openai-openapi (CreateEmbeddingRequest of 2026-08-21). */
const maxInputs = 2048

const embeddingsRequest = once(() => {
  const text = z.string().min(1, 'input must not be empty')
  const token = z.number().int().min(0)
  const tokens = z.array(token).min(1, 'input must not be empty')
  const many = <T extends z.ZodType>(item: T) =>
    z.array(item).min(1, 'input must not be empty').max(maxInputs)
  return z.looseObject({
    model: modelName(),
    input: z
      .union([text, many(text), tokens, many(tokens)])
      .describe('A text, a list of texts, a list of tokens, or a list of lists of tokens'),
    dimensions: z.number().int().min(1).nullish(),
    encoding_format: z
      .enum(['float', 'base64'], { error: 'encoding_format must be float or base64' })
      .nullish(),
    user: z.string().nullish(),
    service_tier: serviceTier(),
  })
})

export type EmbeddingsRequest = z.output<ReturnType<typeof embeddingsRequest>>

/** The schema of the request for the API document. */
export const documentedEmbeddingsRequest = embeddingsRequest

/** @throws PlatformError 400 with the first field that is invalid or adds uncounted cost */
export function parseEmbeddingsRequest(body: Record<string, unknown>): EmbeddingsRequest {
  const { input } = body
  // Before the schema, whose error would name an item instead.
  if (Array.isArray(input) && input.length > maxInputs)
    throw invalid('input', `input must have at most ${maxInputs} items`)
  requireTokens(input)
  const request = parseRequest(embeddingsRequest(), body, { ...body, input: undefined })
  refuseFields(body, refusedFields)
  return request
}

/** The lists of tokens can be long, and the schema would report each wrong token. @throws PlatformError 400 */
function requireTokens(input: unknown): void {
  if (!Array.isArray(input)) return
  for (const [i, item] of input.entries()) {
    const wrong = Array.isArray(item) ? item.findIndex((token) => !isToken(token)) : -1
    if (wrong >= 0) throw invalid(`input.${i}.${wrong}`, `input.${i}.${wrong} must be a token`)
  }
}

function isToken(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
