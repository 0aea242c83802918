import * as z from 'zod'
import { callerOf } from '../../../shared/ai/caller.ts'
import { complete } from '../../../shared/ai/completions/complete.ts'
import { chatRequest } from '../../../shared/ai/request.ts'
import { billingOf } from './billing.ts'
import { respond } from './respond.ts'
import { route } from './services.ts'

const path = '/v1/chat/completions'

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
})

export const createChatCompletion = route({
  method: 'POST',
  path,
  summary: 'A chat completion in OpenAI’s form; `model` names who served',
  tag: 'ai',
  guard: 'internal-user-or-agent',
  // Any object passes here: plan and subscription are checked before the body, which the verb does itself.
  body: z.lazy(() => z.union([chatRequest(), z.looseObject({})])),
  response: z.looseObject({
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
    usage,
  }),
  streams: true,
  errorForm: 'openai',
  errors: [
    'bad-request',
    'unauthorized',
    'payment-required',
    'forbidden',
    'not-found',
    'too-many-requests',
    'bad-gateway',
    'unavailable',
  ],
  handle: async (context, { body }) => {
    const { request, actor, log } = context
    const gone = new AbortController()
    const signal = AbortSignal.any([request.signal, gone.signal])
    const caller = await callerOf(context, actor, billingOf(request))
    const completion = await complete(context, { caller, body, signal, endpoint: path })
    return respond(completion, { log, signal, leave: () => gone.abort() })
  },
})
