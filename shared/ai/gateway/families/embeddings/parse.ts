import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { invalid, parseRequest, refuseFields } from '../../parse.ts'
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
  const request = parseRequest(embeddingsRequest(), body)
  refuseFields(body, refusedFields)
  return request
}
