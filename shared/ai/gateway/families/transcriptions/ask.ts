import { PassedOn } from '../../answers/passed-on.ts'
import type { Attempt, StreamedAnswer, WholeAnswer } from '../../completions/call.ts'
import { type ProviderResponse, text } from '../../providers/http.ts'
import { post, wholeOf } from '../../providers/post.ts'
import { passedOnEvents } from '../events.ts'
import { noTokens } from '../passed-on.ts'
import { sizeOfTranscription } from './bound.ts'
import { secondsOf } from './duration.ts'
import type { TranscriptionRequest } from './parse.ts'
import { isDuration, lastSecond, readTranscriptionUsage } from './read.ts'

/** @throws UpstreamFailure */
export async function askTranscription(
  attempt: Attempt,
  request: TranscriptionRequest,
): Promise<WholeAnswer<PassedOn>> {
  const answer = await send(attempt, request)
  const contentType = answer.headers['content-type'] ?? 'text/plain'
  if (request.isText && !contentType.includes('json')) {
    const sent = await text(answer)
    const units = await unitsOf(attempt, request, { text: sent, seconds: lastSecond(sent) })
    return {
      completion: { choices: [], ...units },
      ...units,
      write: () => new PassedOn(sent, contentType),
    }
  }
  const { body, text: sent } = await wholeOf(answer, attempt)
  const { usage, units } = readTranscriptionUsage(body)
  const counted =
    usage === undefined ? await unitsOf(attempt, request, { text: body.text }) : { usage, units }
  return {
    completion: { choices: [], usage: counted.usage },
    units: counted.units,
    write: () => new PassedOn(sent),
  }
}

/** @throws UpstreamFailure, also while the pieces are read */
export async function askTranscriptionStream(
  attempt: Attempt,
  request: TranscriptionRequest,
): Promise<StreamedAnswer> {
  return passedOnEvents(attempt, await send(attempt, request), { last: 'transcript.text.done' })
}

/** People speak about 15 characters a second, and few speak faster than this. */
const maxCharactersPerSecond = 25

/**
 * Returns the usage of an answer whose provider counts nothing. A model that is billed by tokens has the maximum.
 * @param answer its text, and the end of the last subtitle
 */
async function unitsOf(
  { route }: Attempt,
  request: TranscriptionRequest,
  answer: { text: unknown; seconds?: number | undefined },
): Promise<Pick<WholeAnswer, 'units'> & { usage?: object }> {
  const { inputTokens, units } = sizeOfTranscription(request, route.id)
  if (inputTokens > 0) return {}
  const inFile = secondsOf(Buffer.from(await request.audio.arrayBuffer()))
  const known = [answer.seconds, inFile].filter(isDuration)
  if (known.length === 0) return { usage: noTokens, units }
  // A file can state any duration, and subtitles end before a silence.
  const spoken = typeof answer.text === 'string' ? answer.text.length / maxCharactersPerSecond : 0
  return { usage: noTokens, units: { second: Math.max(...known, spoken) } }
}

async function send(attempt: Attempt, { form }: TranscriptionRequest): Promise<ProviderResponse> {
  const copy = new FormData()
  for (const [name, value] of form) if (name !== 'model') copy.append(name, value)
  copy.set('model', attempt.route.model)
  const encoded = new Response(copy)
  const body = Buffer.from(await encoded.arrayBuffer())
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
  return post(attempt, { path: '/audio/transcriptions', body, headers })
}
