import { PassedOn } from '../../answers/passed-on.ts'
import type { Attempt, Piece, StreamedAnswer, WholeAnswer } from '../../completions/call.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import type { ProviderResponse } from '../../providers/http.ts'
import { begun, drain, post, providerEvents, wholeOf } from '../../providers/post.ts'
import { speaks } from '../../providers/speaks.ts'
import { type PromptSize, promptTokens } from '../../tokens.ts'
import { askChat, askChatStream } from '../chat/ask.ts'
import { piecesOf } from '../chat/call.ts'
import type { MessagesRequest } from './parse.ts'
import { nativeWriter } from './pass-on.ts'
import { createMessageReader, readMessage } from './read.ts'
import { toChatRequest } from './translate.ts'
import { translatedWriter, writeMessage } from './write.ts'

/** The request's headers that a provider of Messages receives. */
export type MessagesHeaders = Readonly<Record<string, string>>

/** The version of Anthropic's API for a caller that names none. */
export const defaultVersion = '2023-06-01'

/** @throws UpstreamFailure */
export async function askMessage(
  attempt: Attempt,
  request: MessagesRequest,
  headers: MessagesHeaders,
): Promise<WholeAnswer> {
  const { route, isFallback } = attempt
  if (!speaks(route, 'messages'))
    return { completion: await askChat(attempt, toChatRequest(request)), write: writeMessage }
  const { body, text } = await wholeOf(await send(attempt, request, { headers }), attempt)
  const completion = readMessage(body)
  if (completion === undefined) throw new UpstreamFailure('the answer is not a message')
  return {
    completion,
    write: (shown, served) => {
      if (shown !== completion) return writeMessage(shown, served)
      return isFallback ? { ...body, model: route.id } : new PassedOn(text)
    },
  }
}

/** @throws UpstreamFailure, also while the pieces are read */
export async function askMessageStream(
  attempt: Attempt,
  request: MessagesRequest,
  { headers, prompt }: { headers: MessagesHeaders; prompt: PromptSize },
): Promise<StreamedAnswer> {
  const { route, isFallback } = attempt
  if (!speaks(route, 'messages')) {
    const chunks = await askChatStream(attempt, toChatRequest(request))
    const inputTokens = promptTokens(prompt, route.id)
    return {
      pieces: piecesOf(chunks),
      writer: (model) => translatedWriter({ model, inputTokens }),
    }
  }
  const answer = await send(attempt, request, { headers, stream: true })
  return {
    pieces: await begun(nativePieces(attempt, answer)),
    writer: (model) => nativeWriter(isFallback ? model : undefined),
  }
}

function send(
  attempt: Attempt,
  request: MessagesRequest,
  { headers, stream = false }: { headers: MessagesHeaders; stream?: boolean },
): Promise<ProviderResponse> {
  const { route, limit } = attempt
  return post(attempt, {
    path: '/messages',
    json: { ...request, model: route.model, max_tokens: limit.tokens, stream },
    headers: { 'anthropic-version': defaultVersion, ...headers },
    keyIn: 'x-api-key',
  })
}

async function* nativePieces(attempt: Attempt, answer: ProviderResponse): AsyncGenerator<Piece> {
  const reader = createMessageReader()
  const events = providerEvents(answer, attempt)
  let isComplete = false
  try {
    for (;;) {
      const next = await events.next()
      if (next.done) break
      yield { chunk: reader.read(next.value.data), event: next.value }
      if (next.value.data.type !== 'message_stop') continue
      isComplete = true
      void drain(events)
      return
    }
    if (!reader.finished) throw new UpstreamFailure('the stream was interrupted')
  } catch (error) {
    // After the stop reason the answer is complete.
    if (!reader.finished || !(error instanceof UpstreamFailure)) throw error
  } finally {
    if (!isComplete) answer.close()
  }
}
