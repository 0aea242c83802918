import { PassedOn } from '../../answers/passed-on.ts'
import type { Attempt, StreamedAnswer, WholeAnswer } from '../../completions/call.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import type { ProviderResponse } from '../../providers/http.ts'
import { begun, post, wholeOf } from '../../providers/post.ts'
import { anthropicVersion } from '../../providers/presets.ts'
import { speaks } from '../../providers/speaks.ts'
import { type PromptSize, promptTokens } from '../../tokens.ts'
import { askChat, askChatStream } from '../chat/ask.ts'
import { piecesOf } from '../chat/call.ts'
import type { CompletionRequest } from '../chat/parse.ts'
import { passedOnPieces } from '../events.ts'
import type { MessagesRequest } from './parse.ts'
import { nativeWriter } from './pass-on.ts'
import { createMessageReader, readMessage } from './read.ts'
import { translatedWriter, writeMessage } from './write.ts'

/** The request's headers that a provider of Messages receives. */
export type MessagesHeaders = Readonly<Record<string, string>>

interface Asked {
  request: MessagesRequest
  headers: MessagesHeaders
  /** Returns the request as a chat completion. */
  translated(): CompletionRequest
}

/** @throws UpstreamFailure */
export async function askMessage(attempt: Attempt, asked: Asked): Promise<WholeAnswer> {
  const { route, isFallback } = attempt
  if (!speaks(route, 'messages'))
    return { completion: await askChat(attempt, asked.translated()), write: writeMessage }
  const { body, text } = await wholeOf(await send(attempt, asked), attempt)
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
  asked: Asked,
  prompt: PromptSize,
): Promise<StreamedAnswer> {
  const { route, isFallback } = attempt
  if (!speaks(route, 'messages')) {
    const chunks = await askChatStream(attempt, asked.translated())
    const inputTokens = promptTokens(prompt, route.id)
    return {
      pieces: piecesOf(chunks),
      writer: (model) => translatedWriter({ model, inputTokens }),
    }
  }
  const answer = await send(attempt, asked)
  return {
    pieces: await begun(passedOnPieces(attempt, answer, createMessageReader())),
    writer: (model) => nativeWriter(isFallback ? model : undefined),
  }
}

function send(attempt: Attempt, { request, headers }: Asked): Promise<ProviderResponse> {
  const { route, limit } = attempt
  return post(attempt, {
    path: '/messages',
    json: {
      ...request,
      model: route.model,
      max_tokens: limit.tokens,
      stream: request.stream === true,
    },
    headers: { 'anthropic-version': anthropicVersion, ...headers },
    keyIn: 'x-api-key',
  })
}
