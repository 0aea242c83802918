import type { PassedOn } from '../../answers/passed-on.ts'
import type { ModelCall } from '../../completions/call.ts'
import { passedOnCall } from '../passed-on.ts'
import { askSpeech } from './ask.ts'
import { sizeOfSpeech } from './bound.ts'
import type { SpeechRequest } from './parse.ts'

/** Returns a request for speech as a call of the core. */
export function speechCall(request: SpeechRequest): ModelCall<PassedOn> {
  return passedOnCall({
    family: 'speech',
    model: request.model,
    bound: ({ id }) => sizeOfSpeech(request, id),
    text: () => request.input,
    stream: true,
    askStream: (attempt) => askSpeech(attempt, request),
  })
}
