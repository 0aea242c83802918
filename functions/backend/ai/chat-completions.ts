import * as z from 'zod'
import { chatRequest, parseChatRequest } from '../../../shared/ai/request.ts'
import { answerChat } from './answer.ts'
import { chatCompletion } from './schema.ts'
import { route } from './services.ts'

export const createChatCompletion = route({
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'A chat completion in OpenAI’s form; `model` names who served',
  tag: 'ai',
  guard: 'internal-user-or-agent',
  headers: ['x-user-plan', 'x-billing-subscription-id', 'x-user-email'],
  // Any object passes here: plan and subscription are checked before the body, which the verb does itself.
  body: z.lazy(() => z.union([chatRequest(), z.looseObject({})])),
  response: chatCompletion,
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
  handle: (context, { body }) =>
    answerChat(context, {
      read: () => ({ request: parseChatRequest(body) }),
      write: ({ answer }) => answer,
      errorForm: 'openai',
    }),
})
