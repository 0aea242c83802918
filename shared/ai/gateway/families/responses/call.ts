import type { PlatformError } from '#shared/platform/errors.ts'
import { once } from '#shared/platform/once.ts'
import type { ModelCall, StreamEvent } from '../../completions/call.ts'
import { refusalOf, untranslatable } from '../translation.ts'
import { askResponse, askResponseStream } from './ask.ts'
import { sizeOfResponses } from './bound.ts'
import type { ResponsesRequest } from './parse.ts'
import { toChat } from './translate.ts'
import { beginResponse, failureOf } from './write.ts'

/** Returns a request of OpenAI's Responses as a call of the core. */
export function responsesCall(request: ResponsesRequest): ModelCall {
  const translated = once(() => toChat(request))
  return {
    model: request.model,
    refusal: (route) => refusalOf(route, 'responses', translated),
    fallsBack: true,
    stream: request.stream === true,
    session: request.prompt_cache_key ?? undefined,
    choices: 1,
    maxTokens: request.max_output_tokens ?? undefined,
    prompt: sizeOfResponses(request),
    messages: () => (untranslatable(translated) ? [] : translated().chat.messages),
    askWhole: (attempt) => askResponse(attempt, request, translated),
    askStream: (attempt) => askResponseStream(attempt, request, translated),
  }
}

/** Returns the only event of a stream that failed before a model answered. */
export function failedEvent(error: PlatformError, request: ResponsesRequest): StreamEvent {
  const type = 'response.failed'
  const response = { ...beginResponse(request, request.model), ...failureOf(error) }
  return { event: type, data: { type, sequence_number: 0, response }, ends: true }
}
