import type { PassedOn } from '../../answers/passed-on.ts'
import type { ModelCall } from '../../completions/call.ts'
import { passedOnCall } from '../passed-on.ts'
import { askEmbeddings } from './ask.ts'
import { tokensOfInput } from './bound.ts'
import type { EmbeddingsRequest } from './parse.ts'

/** Returns a request for embeddings as a call of the core. */
export function embeddingsCall(request: EmbeddingsRequest): ModelCall<PassedOn> {
  const size = { inputTokens: tokensOfInput(request), outputTokens: 0 }
  return passedOnCall({
    family: 'embeddings',
    model: request.model,
    bound: () => size,
    text: () => JSON.stringify(request.input),
    askWhole: (attempt) => askEmbeddings(attempt, request),
  })
}
