import { isObject } from '../answers/form.ts'
import type { Attempt, EventWriter, Piece, StreamedAnswer } from '../completions/call.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import type { ProviderResponse } from '../providers/http.ts'
import { providerEvents, resumed } from '../providers/post.ts'

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
  const pieces = piecesOf()
  const first = await pieces.next()
  if (first.done) throw new UpstreamFailure('the stream is empty')
  return { pieces: resumed([first.value], pieces), writer: () => writer }

  async function* piecesOf(): AsyncGenerator<Piece> {
    let isComplete = false
    try {
      for await (const event of providerEvents(answer, attempt, maxEventBytes)) {
        isComplete ||= event.data.type === last
        const { usage } = event.data
        yield { chunk: { choices: [], ...(isObject(usage) && { usage }) }, event }
      }
      if (!isComplete) throw new UpstreamFailure('the stream was interrupted')
    } finally {
      answer.close()
    }
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
