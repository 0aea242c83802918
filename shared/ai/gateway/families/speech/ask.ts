import type { Attempt, EventWriter, Piece, StreamedAnswer } from '../../completions/call.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import type { ProviderResponse } from '../../providers/http.ts'
import { post, resumed, wholeOf } from '../../providers/post.ts'
import { passedOnEvents } from '../events.ts'
import { noTokens } from '../passed-on.ts'
import { sizeOfSpeech } from './bound.ts'
import type { SpeechRequest } from './parse.ts'

/**
 * Requests speech, and returns it from its first bytes on.
 * @throws UpstreamFailure, also while the pieces are read
 */
export async function askSpeech(attempt: Attempt, request: SpeechRequest): Promise<StreamedAnswer> {
  const json = { ...request, model: attempt.route.model }
  const answer = await post(attempt, { path: '/audio/speech', json })
  if (request.stream_format === 'sse')
    return passedOnEvents(attempt, answer, { last: 'speech.audio.done' })
  const contentType = answer.headers['content-type'] ?? 'application/octet-stream'
  if (contentType.includes('json')) {
    await wholeOf(answer, attempt)
    throw new UpstreamFailure('the answer is not audio')
  }
  const { inputTokens } = sizeOfSpeech(request, attempt.route.id)
  const pieces = bytesOf(answer, inputTokens === 0 ? { usage: noTokens } : {})
  const first = await pieces.next()
  if (first.done) throw new UpstreamFailure('the answer is empty')
  return { pieces: resumed([first.value], pieces), writer: () => bytesWriter, contentType }
}

/** Yields the bytes of an answer. @param usage the usage, if the model is not billed by tokens */
async function* bytesOf(
  answer: ProviderResponse,
  usage: { usage?: object },
): AsyncGenerator<Piece> {
  try {
    for await (const bytes of answer.body) yield { chunk: { choices: [], ...usage }, bytes }
  } finally {
    answer.close()
  }
}

/** Every event may be the last one, which waits for the record of the call. */
const bytesWriter: EventWriter = {
  write: (_, { bytes }) => (bytes === undefined ? [] : [{ data: null, bytes, ends: true }]),
  end: () => [],
}
