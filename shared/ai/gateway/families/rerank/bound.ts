import { estimateTokens, jsonTokens } from '../../tokens.ts'
import type { Size } from '../../usage.ts'
import type { RerankRequest } from './parse.ts'

/**
 * Cohere bills a search for each 100 documents. A document that has more than 500 tokens together with the query is
 * split, and its parts count as documents: https://cohere.com/pricing, as Azure's page of the model repeats it:
 * https://learn.microsoft.com/azure/ai-studio/how-to/deploy-models-cohere-rerank.
 */
const documentsOfSearch = 100
const tokensOfPart = 500

/** Returns the maximum usage in searches and in tokens. A provider bills one of them. */
export function sizeOfRerank({ query, documents }: RerankRequest): Size {
  const queryTokens = estimateTokens(query)
  let parts = 0
  let inputTokens = 0
  for (const document of documents) {
    const own = typeof document === 'string' ? estimateTokens(document) : jsonTokens(document)
    parts += Math.max(1, Math.ceil((own + queryTokens) / tokensOfPart))
    inputTokens += own + queryTokens
  }
  const search = Math.ceil(parts / documentsOfSearch)
  return { inputTokens, outputTokens: 0, units: { search } }
}
