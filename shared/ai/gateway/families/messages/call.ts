import type { PlatformError } from '#shared/platform/errors.ts'
import { once } from '#shared/platform/once.ts'
import type { ModelCall } from '../../completions/call.ts'
import { invalid } from '../../parse.ts'
import { speaks } from '../../providers/speaks.ts'
import { refusalOf, untranslatable } from '../translation.ts'
import { askMessage, askMessageStream, type MessagesHeaders } from './ask.ts'
import { sizeOfMessages } from './bound.ts'
import type { MessagesRequest } from './parse.ts'
import { toChatRequest } from './translate.ts'

/** Returns a request of Anthropic's Messages as a call of the core. */
export function messagesCall(request: MessagesRequest, headers: MessagesHeaders): ModelCall {
  const prompt = sizeOfMessages(request)
  const translated = once(() => toChatRequest(request))
  return {
    model: request.model,
    refusal: (route) =>
      speaks(route, 'messages')
        ? refusalOfEdits(request)
        : refusalOf(route, 'messages', translated),
    fallsBack: true,
    stream: request.stream === true,
    session: request.metadata?.user_id ?? undefined,
    choices: 1,
    maxTokens: request.max_tokens,
    prompt,
    messages: () => (untranslatable(translated) ? [] : translated().messages),
    askWhole: (attempt) => askMessage(attempt, { request, headers, translated }),
    askStream: (attempt) => askMessageStream(attempt, { request, headers, translated }, prompt),
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
