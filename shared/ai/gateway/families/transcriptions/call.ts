import type { PassedOn } from '../../answers/passed-on.ts'
import type { ModelCall } from '../../completions/call.ts'
import { passedOnCall } from '../passed-on.ts'
import { askTranscription, askTranscriptionStream } from './ask.ts'
import { sizeOfTranscription } from './bound.ts'
import type { TranscriptionRequest } from './parse.ts'

/** Returns a request for a transcription as a call of the core. */
export function transcriptionCall(request: TranscriptionRequest): ModelCall<PassedOn> {
  return passedOnCall({
    family: 'transcriptions',
    model: request.model,
    bound: ({ id }) => sizeOfTranscription(request, id),
    stream: request.stream,
    askWhole: (attempt) => askTranscription(attempt, request),
    askStream: (attempt) => askTranscriptionStream(attempt, request),
  })
}
