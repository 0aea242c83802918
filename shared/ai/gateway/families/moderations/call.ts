import type { PassedOn } from '../../answers/passed-on.ts'
import type { ModelCall } from '../../completions/call.ts'
import { passedOnCall } from '../passed-on.ts'
import { askModeration } from './ask.ts'
import { tokensToModerate } from './bound.ts'
import type { ModerationRequest } from './parse.ts'

/** Returns a request for moderation as a call of the core. */
export function moderationCall(request: ModerationRequest): ModelCall<PassedOn> {
  return passedOnCall({
    family: 'moderations',
    model: request.model,
    bound: ({ id }) => ({ inputTokens: tokensToModerate(request, id), outputTokens: 0 }),
    text: () => JSON.stringify(request.input),
    askWhole: (attempt) => askModeration(attempt, request),
  })
}
