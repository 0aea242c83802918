import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { parseRequest, refuseFields, serviceTier } from '../../parse.ts'
import { refusedFields } from '../../request-fields.ts'
import { modelName } from '../fields.ts'

/** More than the providers accept: Cohere recommends at most 1,000. */
const maxDocuments = 10_000

/** Cohere's form, which Jina, Voyage and OpenRouter also serve: https://docs.cohere.com/reference/rerank. */
const rerankRequest = once(() =>
  z.looseObject({
    model: modelName(),
    query: z.string().min(1, 'query must not be empty'),
    documents: z
      .array(z.union([z.string(), z.looseObject({})]))
      .min(1, 'documents must not be empty')
      .max(maxDocuments, `documents must have at most ${maxDocuments} items`),
    top_n: z.number().int().min(1).nullish(),
    service_tier: serviceTier(),
  }),
)

export type RerankRequest = z.output<ReturnType<typeof rerankRequest>>

/** The schema of the request for the API document. */
export const documentedRerankRequest = rerankRequest

/** @throws PlatformError 400 with the first field that is invalid or adds uncounted cost */
export function parseRerankRequest(body: Readonly<Record<string, unknown>>): RerankRequest {
  const request = parseRequest(rerankRequest(), body)
  refuseFields(body, refusedFields)
  return request
}
