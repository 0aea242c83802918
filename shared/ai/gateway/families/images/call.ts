import type { PassedOn } from '../../answers/passed-on.ts'
import type { ModelCall } from '../../completions/call.ts'
import { passedOnCall } from '../passed-on.ts'
import { askImages, askImagesStream } from './ask.ts'
import { refusalOfQuality, sizeOfImages } from './bound.ts'
import type { ImagesRequest } from './parse.ts'

/** Returns a request for images as a call of the core. */
export function imagesCall(request: ImagesRequest): ModelCall<PassedOn> {
  return passedOnCall({
    family: 'images',
    model: request.model,
    bound: ({ id }) => sizeOfImages(request, id),
    refusal: ({ id }) => refusalOfQuality(request, id),
    text: () => request.prompt,
    stream: request.stream === true,
    askWhole: (attempt) => askImages(attempt, request),
    askStream: (attempt) => askImagesStream(attempt, request),
  })
}
