import type { TaskTier } from '#shared/money/plans/model-sets.ts'
import type { Chunk } from '../../answers/form.ts'
import type { ModelCall, Piece } from '../../completions/call.ts'
import { speaks, unsupported } from '../../providers/speaks.ts'
import { sizeOfPrompt } from '../../tokens.ts'
import { askChat, askChatStream } from './ask.ts'
import { type CompletionRequest, limitOf } from './parse.ts'
import { type ChatAnswer, chunkWriter, writeCompletion } from './write.ts'

interface ChatOptions {
  tier?: TaskTier
  /** True if the last chunk of a stream has the usage. This is the default. */
  includeUsage?: boolean
}

/** Returns a chat completion request as a call of the core. */
export function chatCall(
  request: CompletionRequest,
  { tier, includeUsage = true }: ChatOptions = {},
): ModelCall<ChatAnswer> {
  return {
    model: request.model ?? undefined,
    tier,
    refusal: (route) => (speaks(route, 'chat') ? undefined : unsupported(route, 'chat')),
    fallsBack: true,
    stream: request.stream === true,
    session: [request.session_id, request.prompt_cache_key].find(
      (name) => typeof name === 'string',
    ),
    choices: request.n ?? 1,
    maxTokens: limitOf(request),
    prompt: sizeOfPrompt(request),
    messages: () => request.messages,
    async askWhole(attempt) {
      return { completion: await askChat(attempt, request), write: writeCompletion }
    },
    async askStream(attempt) {
      return {
        pieces: piecesOf(await askChatStream(attempt, request)),
        writer: (model) => chunkWriter(model, includeUsage),
      }
    },
  }
}

/** Returns the chunks of a chat completion as the pieces of a stream. */
export async function* piecesOf(chunks: AsyncGenerator<Chunk>): AsyncGenerator<Piece> {
  for await (const chunk of chunks) yield { chunk }
}
