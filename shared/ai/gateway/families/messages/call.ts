import { PlatformError } from '#shared/platform/errors.ts'
import type { ModelCall } from '../../completions/call.ts'
import { invalid } from '../../parse.ts'
import type { Route } from '../../providers/provider.ts'
import { speaks, unsupported } from '../../providers/speaks.ts'
import { askMessage, askMessageStream, type MessagesHeaders } from './ask.ts'
import { sizeOfMessages } from './bound.ts'
import type { MessagesRequest } from './parse.ts'
import { toChatRequest } from './translate.ts'

/** Returns a request of Anthropic's Messages as a call of the core. */
export function messagesCall(request: MessagesRequest, headers: MessagesHeaders): ModelCall {
  const prompt = sizeOfMessages(request)
  return {
    model: request.model,
    refusal: (route) => refusalOf(route, request),
    fallsBack: true,
    stream: request.stream === true,
    choices: 1,
    maxTokens: request.max_tokens,
    prompt,
    messages: () => toChatRequest(request).messages,
    askWhole: (attempt) => askMessage(attempt, request, headers),
    askStream: (attempt) => askMessageStream(attempt, request, { headers, prompt }),
  }
}

/** A provider that does not serve Messages gets a chat completion, if the request can be translated. */
function refusalOf(route: Route, request: MessagesRequest): PlatformError | undefined {
  if (speaks(route, 'messages')) return refusalOfEdits(request)
  if (!speaks(route, 'chat')) return unsupported(route, 'messages')
  try {
    toChatRequest(request)
    return undefined
  } catch (error) {
    if (error instanceof PlatformError) return error
    throw error
  }
}

/**
 * The provider lets the model write a summary, and leaves the tokens of that out of the count of the answer:
 * https://platform.claude.com/docs/en/build-with-claude/compaction, in a copy read on 2026-11-27.
 */
function refusalOfEdits({ context_management }: MessagesRequest): PlatformError | undefined {
  const at = context_management?.edits?.findIndex(({ type }) => !type.startsWith('clear_')) ?? -1
  if (at === -1) return undefined
  const place = `context_management.edits.${at}.type`
  return invalid(
    place,
    `${place}: the tokens of this edit are not counted; summarize in the client`,
  )
}
