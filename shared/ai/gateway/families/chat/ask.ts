import type { Chunk, Completion } from '../../answers/form.ts'
import type { Attempt } from '../../completions/call.ts'
import type { AnswerLimit } from '../../completions/limit.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import {
  fieldsToTry,
  recordAccepted,
  recordRefusal,
  runsOn,
  tryLimit,
} from '../../providers/limit.ts'
import type { LimitField } from '../../providers/provider.ts'
import type { CompletionRequest } from './parse.ts'
import { askInPieces } from './pieces.ts'
import { askStream, askWhole } from './upstream.ts'

/**
 * Requests a whole chat completion from one model.
 * @throws UpstreamFailure
 */
export function askChat(attempt: Attempt, request: CompletionRequest): Promise<Completion> {
  const { limit, route, cut } = attempt
  return withLimitFields(attempt, request, (limited) =>
    // A model that does not obey the limit is read as a stream, which can be cut.
    limit.isSent && (runsOn(route) || !hasLimit(limited))
      ? askInPieces({ ...attempt, request: limited }, cut)
      : askWhole({ ...attempt, request: limited }),
  )
}

/**
 * Requests a streamed chat completion from one model.
 * @throws UpstreamFailure, also while the chunks are read
 */
export function askChatStream(
  attempt: Attempt,
  request: CompletionRequest,
): Promise<AsyncGenerator<Chunk>> {
  return withLimitFields(attempt, request, (limited) => askStream({ ...attempt, request: limited }))
}

/** Sends a request with the limit fields that the model accepts. Sends it again if the refusal names other fields. */
async function withLimitFields<T>(
  { route, limit }: Attempt,
  request: CompletionRequest,
  ask: (limited: CompletionRequest) => Promise<T>,
): Promise<T> {
  const trial = tryLimit(route)
  for (;;) {
    const fields = limit.isSent ? fieldsToTry(route, trial) : []
    const tokens = limit.fromCaller ? limit.tokens : Math.min(limit.tokens, trial.most)
    try {
      const answer = await ask(withLimit(request, { ...limit, tokens }, fields))
      recordAccepted(route, trial)
      return answer
    } catch (error) {
      const limits = { fields, tokens, fromCaller: limit.fromCaller }
      if (!(error instanceof UpstreamFailure) || !recordRefusal(trial, error, limits)) throw error
    }
  }
}

/** True if a request has a limit in any field. */
function hasLimit({ max_completion_tokens, max_tokens }: CompletionRequest): boolean {
  return (max_completion_tokens ?? max_tokens ?? undefined) !== undefined
}

/** A request with its limit in the fields that its provider obeys. */
function withLimit(
  { max_completion_tokens: _, max_tokens: __, ...request }: CompletionRequest,
  { tokens, isSent }: AnswerLimit,
  fields: readonly LimitField[],
): CompletionRequest {
  return isSent
    ? { ...request, ...Object.fromEntries(fields.map((field) => [field, tokens])) }
    : request
}
