import { demoChat } from '../../../shared/demo/chat.ts'
import { demoAnswer, demoRequest } from '../../../shared/demo/schema.ts'
import { answerThen } from '../../../shared/http/answer-then.ts'
import { route } from './services.ts'

const path = '/api/demo/chat'

export const postDemoChat = route({
  method: 'POST',
  path,
  summary: 'Ask a model something without an account',
  tag: 'demo',
  guard: 'none',
  body: demoRequest,
  response: demoAnswer,
  errors: ['bad-request', 'too-many-requests', 'internal', 'unavailable'],
  handle: async (context, { body }) => {
    const { request, withinMs, capUsd } = context
    const input = { request: body, signal: request.signal, withinMs, capUsd, endpoint: path }
    const { answer, settle } = await demoChat(context, input)
    return answerThen(answer, settle)
  },
})
