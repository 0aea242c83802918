import * as z from 'zod'
import { parseTaskRequest, taskRequest } from '../../../shared/ai/request.ts'
import { writeUsage } from '../../../shared/ai/usage.ts'
import { PlatformError } from '../../../shared/platform/errors.ts'
import { answerChat } from './answer.ts'
import type { WholeCompletion } from './respond.ts'
import { chatAnswer } from './schema.ts'
import { route } from './services.ts'

export const chat = route({
  method: 'POST',
  path: '/api/ai/chat',
  summary: 'A chat with a model of the plan’s, or of a kind of task',
  tag: 'ai',
  guard: 'internal-or-user',
  headers: ['x-user-plan', 'x-billing-subscription-id', 'x-user-email'],
  // Any object passes here: plan and subscription are checked before the body, which the verb does itself.
  body: z.lazy(() => z.union([taskRequest(), z.looseObject({})])),
  response: chatAnswer,
  streams: true,
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
      read: () => parseTaskRequest(body),
      write,
      errorForm: 'platform',
    }).catch(refuse),
})

function write({ answer, provider, usage: used }: WholeCompletion) {
  const { role = 'assistant', content = null, tool_calls } = answer.choices[0]?.message ?? {}
  return {
    id: answer.id,
    model: answer.model,
    provider,
    message: { role, content, ...(tool_calls !== undefined && { tool_calls }) },
    usage: writeUsage(used),
    timestamp: new Date().toISOString(),
  }
}

/** spec.md's form of a refused chat, which says beside the code that there was no success. */
function refuse(thrown: unknown): never {
  if (!(thrown instanceof PlatformError)) throw thrown
  const { kind, message, code, headers, cause } = thrown
  const { param: _, ...details } = thrown.details
  throw new PlatformError(kind, message, {
    ...(code !== undefined && { code }),
    details: { success: false, ...details },
    headers,
    cause,
  })
}
