import * as z from 'zod'
import {
  documentedSpeechRequest,
  parseSpeechRequest,
} from '#shared/ai/gateway/families/speech/parse.ts'
import {
  documentedTranscriptionRequest,
  parseTranscriptionRequest,
} from '#shared/ai/gateway/families/transcriptions/parse.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Services } from './answer.ts'
import { answerFamily, familyRoute } from './model-call.ts'

const route = routesWith<Services>()

const audioEvent = z.lazy(() => z.looseObject({ type: z.string() })).meta({ id: 'AudioEvent' })

const transcription = z
  .lazy(() => z.looseObject({ text: z.string() }))
  .meta({ id: 'Transcription' })

export const audioRoutes = [
  route({
    ...familyRoute,
    name: 'openai.audio.speech.create',
    method: 'POST',
    path: '/v1/audio/speech',
    summary: 'Create speech',
    description:
      'OpenAI format. The audio is sent as it arrives, with the provider’s content type.',
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: documentedSpeechRequest,
    response: z.string(),
    rawResponse: 'audio/*',
    events: { 'speech.audio.delta': audioEvent, 'speech.audio.done': audioEvent },
    handle: async (context, { body }) => {
      const { speechCall } = await import('#shared/ai/gateway/families/speech/call.ts')
      return answerFamily(context, {
        read: () => speechCall(parseSpeechRequest(body)),
      })
    },
  }),

  route({
    ...familyRoute,
    name: 'openai.audio.transcriptions.create',
    method: 'POST',
    path: '/v1/audio/transcriptions',
    summary: 'Transcribe audio',
    description:
      'OpenAI format, whole and streamed. The formats text, srt and vtt are sent as text. The request is at most 5 MB.',
    rawBody: 'multipart/form-data',
    documentedBody: documentedTranscriptionRequest,
    response: transcription,
    events: { 'transcript.text.delta': audioEvent, 'transcript.text.done': audioEvent },
    handle: async (context) => {
      const { transcriptionCall } =
        await import('#shared/ai/gateway/families/transcriptions/call.ts')
      return answerFamily(context, {
        read: async () => transcriptionCall(await parseTranscriptionRequest(context.request)),
      })
    },
  }),
]
