import { openOpaque } from '../../answers/opaque.ts'
import { PassedOn } from '../../answers/passed-on.ts'
import type { Attempt, StreamedAnswer, WholeAnswer } from '../../completions/call.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import type { ProviderResponse } from '../../providers/http.ts'
import { begun, post, wholeOf } from '../../providers/post.ts'
import { speaks } from '../../providers/speaks.ts'
import { askChat, askChatStream } from '../chat/ask.ts'
import { piecesOf } from '../chat/call.ts'
import { passedOnPieces } from '../events.ts'
import type { ResponsesRequest } from './parse.ts'
import { nativeWriter } from './pass-on.ts'
import { createResponseReader, readResponse } from './read.ts'
import { translatedWriter } from './stream.ts'
import type { Translated } from './translate.ts'
import { writeResponse } from './write.ts'

/** @throws UpstreamFailure */
export async function askResponse(
  attempt: Attempt,
  request: ResponsesRequest,
  translated: () => Translated,
): Promise<WholeAnswer> {
  const { route, isFallback } = attempt
  if (!speaks(route, 'responses')) {
    const { chat, tools } = translated()
    const completion = await askChat(attempt, chat)
    return { completion, write: (shown, served) => writeResponse(shown, served, request, tools) }
  }
  const { body, text } = await wholeOf(await send(attempt, request), attempt)
  const completion = readResponse(body)
  if (completion === undefined) throw new UpstreamFailure('the answer is not a response')
  return {
    completion,
    write: (shown, served) => {
      if (shown !== completion) return writeResponse(shown, served, request, new Map())
      return isFallback ? { ...body, model: route.id } : new PassedOn(text)
    },
  }
}

/** @throws UpstreamFailure, also while the pieces are read */
export async function askResponseStream(
  attempt: Attempt,
  request: ResponsesRequest,
  translated: () => Translated,
): Promise<StreamedAnswer> {
  const { route, isFallback } = attempt
  if (!speaks(route, 'responses')) {
    const { chat, tools } = translated()
    return {
      pieces: piecesOf(await askChatStream(attempt, chat)),
      writer: (model) => translatedWriter(model, request, tools),
    }
  }
  const answer = await send(attempt, request)
  return {
    pieces: await begun(passedOnPieces(attempt, answer, createResponseReader(route.provider))),
    writer: (model) => nativeWriter(isFallback ? model : undefined),
  }
}

function send(attempt: Attempt, request: ResponsesRequest): Promise<ProviderResponse> {
  const { route, limit } = attempt
  const json = {
    ...request,
    input: ownItems(request.input),
    model: route.model,
    store: false,
    ...(limit.isSent && { max_output_tokens: limit.tokens }),
  }
  return post(attempt, { path: '/responses', json })
}

/** A provider refuses encrypted content that it did not write, such as the reasoning of a translated answer. */
function ownItems(input: ResponsesRequest['input']): ResponsesRequest['input'] {
  if (typeof input === 'string') return input
  return input.filter(
    (item) => item.type !== 'reasoning' || openOpaque(item.encrypted_content ?? '') === undefined,
  )
}
