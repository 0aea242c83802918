import type { TaskTier } from '#shared/money/plans/model-sets.ts'
import type { PlatformError } from '#shared/platform/errors.ts'
import type { Chunk, Completion } from '../answers/form.ts'
import type { CompletionRequest } from '../families/chat/parse.ts'
import type { Route } from '../providers/provider.ts'
import type { PromptSize } from '../tokens.ts'
import type { Size, TokenUsage, Units } from '../usage.ts'
import type { AnswerLimit } from './limit.ts'
import type { Truncation } from './truncate.ts'

/** A parsed request of one family of model APIs, in the terms that every family shares. */
export interface ModelCall<Answer = object> {
  /** The requested model. Without one, or with `auto`, the tier decides. */
  model: string | undefined
  tier?: TaskTier | undefined
  /** Returns why a provider cannot answer the request; undefined if it can. */
  refusal(route: Route): PlatformError | undefined
  /** False if no other model can replace the requested one. */
  fallsBack: boolean
  stream: boolean
  /** The caller's name of the conversation in the request, if any. */
  session?: string | undefined
  /** The number of requested answers. */
  choices: number
  /** The caller's limit of tokens for each choice. Undefined without one. */
  maxTokens: number | undefined
  prompt: PromptSize
  /**
   * Returns the maximum usage on a route, in a family whose answers have no limit of tokens. Without it, the maximum is
   * the prompt and the limit of each choice.
   */
  bound?(route: Route): Size
  /** Returns the messages for the spans of a user's collector. */
  messages(): CompletionRequest['messages']
  /**
   * Requests a whole answer from one model.
   * @throws UpstreamFailure
   */
  askWhole(attempt: Attempt): Promise<WholeAnswer<Answer>>
  /**
   * Requests a streamed answer from one model, and returns it from its first chunk on: before that, the caller has
   * seen nothing of it, and another model can be asked instead.
   * @throws UpstreamFailure, also while the pieces are read, if the stream is interrupted
   */
  askStream(attempt: Attempt): Promise<StreamedAnswer>
}

/** One request to one model. */
export interface Attempt {
  route: Route
  /** True if another model than the requested one is tried. */
  isFallback: boolean
  limit: AnswerLimit
  timeoutMs: number
  signal: AbortSignal
  /** Called for bytes of the provider that are not passed on now: keep-alives, or a part of a whole answer. */
  silent?: (() => void) | undefined
  /** Ends a whole answer at its limit if it is requested in pieces. */
  cut: Truncation
}

export interface WholeAnswer<Answer = object> {
  /** The answer in the form that is metered, truncated and traced. */
  completion: Completion
  /**
   * Returns the body for the caller.
   * @param completion the same one, or a truncated copy
   */
  write(completion: Completion, served: Served): Answer
  /** The units other than tokens that the provider counted. Default: the units of the maximum usage. */
  units?: Units | undefined
}

export interface StreamedAnswer {
  pieces: AsyncGenerator<Piece>
  /** @param model the platform's id of the model that serves */
  writer(model: string): EventWriter
  /** The content type of an answer of bytes. Absent for events. */
  contentType?: string
}

/** A part of a streamed answer. */
export interface Piece {
  /** The part in the form that is metered, truncated and traced. */
  chunk: Chunk
  /** The provider's event, if the provider serves the caller's family. */
  event?: ProviderEvent
  /** The provider's bytes, in an answer of bytes. */
  bytes?: Uint8Array
}

export interface ProviderEvent {
  event: string | undefined
  data: Record<string, unknown>
  /** The data as the provider sent it. */
  text: string
}

/** Writes a streamed answer as server-sent events in the form of the caller's family. */
export interface EventWriter {
  /**
   * Writes a part of the answer.
   * @param chunk the piece's own chunk, or a truncated copy
   */
  write(chunk: Chunk, piece: Piece): readonly StreamEvent[]
  /** Writes the last events of a complete answer. */
  end(served: Served): readonly StreamEvent[]
  /** The text after the last event of a complete answer. */
  closing?: string
  /** Writes the event of an interrupted stream. Default: an event `error` in the error form of the route. */
  failed?(error: PlatformError): StreamEvent
}

export interface StreamEvent {
  event?: string | undefined
  data: unknown
  /** The data as the provider sent it. It is sent instead of `data`. */
  text?: string
  /** The bytes of an answer of bytes. They are sent instead of `data`. */
  bytes?: Uint8Array
  /** True from the event on that ends a choice: it is sent only after the call is recorded. */
  ends: boolean
}

/** The model and the usage of an answer. */
export interface Served {
  /** The platform's id of the model. */
  model: string
  usage: TokenUsage
  /** The usage as the provider reported it, if it did. */
  reported: unknown
}
