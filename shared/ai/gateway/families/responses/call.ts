import { PlatformError } from '#shared/platform/errors.ts'
import { once } from '#shared/platform/once.ts'
import type { ModelCall } from '../../completions/call.ts'
import type { Route } from '../../providers/provider.ts'
import { speaks, unsupported } from '../../providers/speaks.ts'
import { askResponse, askResponseStream } from './ask.ts'
import { sizeOfResponses } from './bound.ts'
import type { ResponsesRequest } from './parse.ts'
import { toChat, type Translated } from './translate.ts'

/** Returns a request of OpenAI's Responses as a call of the core. */
export function responsesCall(request: ResponsesRequest): ModelCall {
  const translated = once(() => toChat(request))
  return {
    model: request.model,
    refusal: (route) => refusalOf(route, translated),
    fallsBack: true,
    stream: request.stream === true,
    choices: 1,
    maxTokens: request.max_output_tokens ?? undefined,
    prompt: sizeOfResponses(request),
    messages: () => (untranslatable(translated) ? [] : translated().chat.messages),
    askWhole: (attempt) => askResponse(attempt, request, translated),
    askStream: (attempt) => askResponseStream(attempt, request, translated),
  }
}

/** A provider that does not serve Responses gets a chat completion, if the request can be translated. */
function refusalOf(route: Route, translated: () => Translated): PlatformError | undefined {
  if (speaks(route, 'responses')) return undefined
  return speaks(route, 'chat') ? untranslatable(translated) : unsupported(route, 'responses')
}

/** Returns why a request has no translation. Undefined if it has one. */
function untranslatable(translated: () => Translated): PlatformError | undefined {
  try {
    translated()
    return undefined
  } catch (error) {
    if (error instanceof PlatformError) return error
    throw error
  }
}
