import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import { once } from '#shared/platform/once.ts'
import { invalid, parseRequest } from '../../parse.ts'
import { modelName } from '../fields.ts'

/** The formats that are JSON, and the formats that are text. */
const jsonFormats = ['json', 'verbose_json', 'diarized_json'] as const
const textFormats = ['text', 'srt', 'vtt'] as const
const formats = [...jsonFormats, ...textFormats] as const

/** OpenAI's form: https://github.com/openai/openai-openapi (CreateTranscriptionRequest of 2026-08-21). */
const transcriptionFields = once(() =>
  z.looseObject({
    model: modelName(),
    language: z.string().optional(),
    prompt: z.string().optional(),
    response_format: z
      .enum(formats, { error: `response_format must be one of ${formats.join(', ')}` })
      .optional(),
    stream: z.enum(['true', 'false'], { error: 'stream must be true or false' }).optional(),
  }),
)

/** The fields that occur at most once. With several, one provider reads the first and another the last. */
const single = ['file', 'language', 'model', 'prompt', 'response_format', 'stream', 'temperature']

/**
 * The fields that are sent to a provider. Others can add uncounted cost, such as the address of a longer file in the
 * forms of Groq and Mistral.
 */
const passed: ReadonlySet<string> = new Set([
  ...single,
  'chunking_strategy',
  'include[]',
  'known_speaker_names[]',
  'known_speaker_references[]',
  'timestamp_granularities[]',
])

/** The schema of the request for the API document. */
export const documentedTranscriptionRequest = () =>
  transcriptionFields().extend({ file: z.file().describe('The audio') })

export interface TranscriptionRequest {
  model: string
  prompt: string
  /** True if the answer is text, false if it is JSON. */
  isText: boolean
  stream: boolean
  audio: File
  /** The fields of the caller's form that the provider receives. */
  form: FormData
}

/** @throws PlatformError 400 with the first invalid field, or for a body that is not a form */
export async function parseTranscriptionRequest(request: Request): Promise<TranscriptionRequest> {
  const sent = await request.formData().catch(() => {
    throw new PlatformError('bad-request', 'The body must be multipart/form-data')
  })
  // A copy, because each deletion takes as long as the form has fields, and a caller can send 90,000.
  const form = new FormData()
  for (const [name, value] of sent) if (passed.has(name)) form.append(name, value)
  for (const name of single)
    if (form.getAll(name).length > 1) throw invalid(name, `${name} must occur once`)
  const texts = [...form].filter(([, value]) => typeof value === 'string')
  const { model, prompt, response_format, stream } = parseRequest(
    transcriptionFields(),
    Object.fromEntries(texts),
  )
  const audio = form.get('file')
  if (!(audio instanceof File)) throw invalid('file', 'file must be a file')
  if (audio.size === 0) throw invalid('file', 'file must not be empty')
  return {
    model,
    prompt: prompt ?? '',
    isText: textFormats.some((format) => format === response_format),
    stream: stream === 'true',
    audio,
    form,
  }
}
