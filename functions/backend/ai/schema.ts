import * as z from 'zod'
import { errorEvent } from '#functions/common/stream-events.ts'

// Created lazily, because only the API's documents read them and each cold start would pay for it.

function usage() {
  return z.object({
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    total_tokens: z.number(),
  })
}

export const chatAnswer = z
  .lazy(() =>
    z.object({
      id: z.string(),
      model: z.string().describe('The model that served the request'),
      provider: z.string(),
      message: z.looseObject({ role: z.string(), content: z.string().nullable() }),
      usage: usage(),
      timestamp: z.iso.datetime(),
    }),
  )
  .meta({ id: 'ChatAnswer' })

export const chatCompletion = z
  .lazy(() =>
    z.looseObject({
      id: z.string(),
      object: z.literal('chat.completion'),
      created: z.number(),
      model: z.string(),
      choices: z.array(
        z.looseObject({
          index: z.number(),
          message: z.looseObject({ role: z.string(), content: z.string().nullable() }),
          finish_reason: z.string().nullable(),
        }),
      ),
      usage: usage(),
    }),
  )
  .meta({ id: 'ChatCompletion' })

/** A model in OpenAI's format. */
export const model = z
  .lazy(() =>
    z.object({
      id: z.string(),
      object: z.literal('model'),
      created: z.int().describe('Unix time in seconds; 0 if unknown'),
      owned_by: z.string(),
      providers: z
        .array(z.string())
        .optional()
        .describe('The names of the platform’s providers of a single model, in the order to try'),
    }),
  )
  .meta({ id: 'OpenAiModel' })

export const modelList = z
  .lazy(() => z.object({ object: z.literal('list'), data: z.array(model) }))
  .meta({ id: 'ModelList' })

const chunk = z
  .lazy(() =>
    z
      .looseObject({
        id: z.string(),
        object: z.literal('chat.completion.chunk'),
        created: z.number(),
        model: z.string(),
        choices: z.array(
          z.looseObject({
            index: z.number(),
            delta: z.looseObject({
              role: z.string().optional(),
              content: z.string().nullable().optional(),
            }),
            finish_reason: z.string().nullable().optional(),
          }),
        ),
        usage: usage().nullable().optional(),
      })
      .describe('Unnamed events; the last one is followed by the text [DONE]'),
  )
  .meta({ id: 'ChatCompletionChunk' })

const openAiErrorEvent = z.lazy(() =>
  z.object({
    error: z.looseObject({ message: z.string(), type: z.string(), code: z.string().nullable() }),
  }),
)

/** The events of a streamed chat. `message` is the name of an event without a name. */
export const chatEvents = { message: chunk, error: errorEvent }

/** The events of a streamed chat in OpenAI's format. */
export const completionEvents = { message: chunk, error: openAiErrorEvent }
