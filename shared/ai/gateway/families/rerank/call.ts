import type { PassedOn } from '../../answers/passed-on.ts'
import type { ModelCall } from '../../completions/call.ts'
import { passedOnCall } from '../passed-on.ts'
import { askRerank } from './ask.ts'
import { sizeOfRerank } from './bound.ts'
import type { RerankRequest } from './parse.ts'

/** Returns a request to order documents by their relevance as a call of the core. */
export function rerankCall(request: RerankRequest): ModelCall<PassedOn> {
  const size = sizeOfRerank(request)
  return passedOnCall({
    family: 'rerank',
    model: request.model,
    bound: () => size,
    text: () => request.query,
    askWhole: (attempt) => askRerank(attempt, request),
  })
}
