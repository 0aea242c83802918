import { type Chunk, isObject } from '../answers/form.ts'
import type { Attempt, EventWriter, Piece, StreamedAnswer } from '../completions/call.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import type { ProviderResponse } from '../providers/http.ts'
import { drain, providerEvents, resumed } from '../providers/post.ts'

/** Reads the events of one streamed answer. */
export interface EventReader {
  /** Returns an event in the form that every family is metered in. */
  read(data: Record<string, unknown>): Chunk
  /** True once the answer is complete. Then later events cannot turn it into an error. */
  readonly finished: boolean
  /** True after the last event. */
  readonly over: boolean
}

/**
 * Yields the events of a provider that serves the caller's family, as it sent them.
 * @throws UpstreamFailure if the stream ends before the answer is complete
 */
export async function* passedOnPieces(
  attempt: Attempt,
  answer: ProviderResponse,
  reader: EventReader,
  maxEventBytes?: number,
): AsyncGenerator<Piece> {
  const events = providerEvents(answer, attempt, maxEventBytes)
  try {
    while (!reader.over) {
      const next = await events.next()
      if (next.done) break
      yield { chunk: reader.read(next.value.data), event: next.value }
    }
    if (!reader.finished) throw new UpstreamFailure('the stream was interrupted')
  } catch (error) {
    if (!reader.finished || !(error instanceof UpstreamFailure)) throw error
  } finally {
    if (reader.over) void drain(events)
    else answer.close()
  }
}

interface Form {
  /** The type of the last event, which has the usage. */
  last: string
  /** The maximum size of an event. */
  maxEventBytes?: number
}

/**
 * Returns a streamed answer whose events the caller gets as its provider sent them, from its first event on.
 * @throws UpstreamFailure, also while the pieces are read, if the stream ends before its last event
 */
export async function passedOnEvents(
  attempt: Attempt,
  answer: ProviderResponse,
  { last, maxEventBytes }: Form,
): Promise<StreamedAnswer> {
  const pieces = passedOnPieces(attempt, answer, usageReader(last), maxEventBytes)
  const first = await pieces.next()
  if (first.done) throw new UpstreamFailure('the stream is empty')
  return { pieces: resumed([first.value], pieces), writer: () => writer }
}

function usageReader(last: string): EventReader {
  let finished = false
  return {
    read({ type, usage }) {
      finished ||= type === last
      return { choices: [], ...(isObject(usage) && { usage }) }
    },
    get finished() {
      return finished
    },
    // A stream of several images has an event of this type for each.
    over: false,
  }
}

const writer: EventWriter = {
  write(_, { event: sent }) {
    if (sent === undefined) return []
    const { event, data, text } = sent
    const ends = /\.(?:completed|done)$/.test(String(data.type))
    return [{ event, data, text, ends }]
  },
  end: () => [],
}
