import { isObject } from '../../answers/form.ts'
import { PassedOn } from '../../answers/passed-on.ts'
import type { Attempt, StreamedAnswer, WholeAnswer } from '../../completions/call.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import { post, wholeOf } from '../../providers/post.ts'
import { passedOnEvents } from '../events.ts'
import { noTokens } from '../passed-on.ts'
import { sizeOfImages } from './bound.ts'
import type { ImagesRequest } from './parse.ts'

/** @throws UpstreamFailure */
export async function askImages(
  attempt: Attempt,
  request: ImagesRequest,
): Promise<WholeAnswer<PassedOn>> {
  const { body, text } = await wholeOf(await send(attempt, request), attempt)
  if (!Array.isArray(body.data)) throw new UpstreamFailure('the answer has no images')
  const size = sizeOfImages(request, attempt.route.id)
  const { quality = request.quality, size: pixels = request.size } = body
  return {
    completion: {
      choices: [],
      usage: isObject(body.usage) ? body.usage : size.inputTokens > 0 ? undefined : noTokens,
    },
    // The quality and the size that the model chose.
    units: { [`image ${String(quality ?? 'auto')} ${String(pixels ?? 'auto')}`]: body.data.length },
    write: () => new PassedOn(text),
  }
}

/** @throws UpstreamFailure, also while the pieces are read */
export async function askImagesStream(
  attempt: Attempt,
  request: ImagesRequest,
): Promise<StreamedAnswer> {
  return passedOnEvents(attempt, await send(attempt, request), {
    last: 'image_generation.completed',
    maxEventBytes: maxImageBytes,
  })
}

/** An event has a whole image in base64. */
const maxImageBytes = 32 * 1_048_576

function send(attempt: Attempt, request: ImagesRequest) {
  const json = { ...request, model: attempt.route.model }
  return post(attempt, { path: '/images/generations', json })
}
