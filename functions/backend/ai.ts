import * as z from 'zod'
import { userKeyIdentity } from '#shared/accounts/keys/identity.ts'
import { accessTokenIdentity } from '#shared/accounts/users/grants/find.ts'
import { profileKey } from '#shared/accounts/users/user.ts'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import type { WholeCall } from '#shared/ai/gateway/completions/complete.ts'
import { chatCall } from '#shared/ai/gateway/families/chat/call.ts'
import {
  parseTaskRequest,
  taskRequest,
  documentedChatRequest,
  ignoredFields,
  parseChatRequest,
} from '#shared/ai/gateway/families/chat/parse.ts'
import type { ChatAnswer } from '#shared/ai/gateway/families/chat/write.ts'
import { createCatalogue } from '#shared/ai/gateway/models/catalogue.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import { writeUsage } from '#shared/ai/gateway/usage.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { planCapsOf } from '#shared/money/plans/spend-cap.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Services as AiServices, answerCall } from './ai/answer.ts'
import { audioRoutes } from './ai/audio.ts'
import { callHeaders } from './ai/billing.ts'
import { embeddingsRoutes } from './ai/embeddings.ts'
import { imagesRoutes } from './ai/images.ts'
import { aiLimit } from './ai/limit.ts'
import { messagesRoutes } from './ai/messages.ts'
import { answerFamily, callErrors, familyRoute, modelCall } from './ai/model-call.ts'
import { modelsRoutes } from './ai/models.ts'
import { moderationsRoutes } from './ai/moderations.ts'
import { rerankRoutes } from './ai/rerank.ts'
import { responsesRoutes } from './ai/responses.ts'
import { chatAnswer, chatCompletion, chatEvents, completionEvents } from './ai/schema.ts'

const route = routesWith<AiServices>()

function write({ answer, provider, usage: used }: WholeCall<ChatAnswer>) {
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

/** Throws the error of a chat in the form of spec.md, which also has `success: false`. */
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

export const routes = [
  route({
    name: 'ai.chat',
    method: 'POST',
    path: '/api/ai/chat',
    summary: 'Create a chat response',
    description: 'Selects the model by plan or by task.',
    tag: 'ai',
    guard: 'internal-or-user',
    scope: 'chat',
    headers: callHeaders,
    limits: [aiLimit],
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: taskRequest,
    response: chatAnswer,
    events: chatEvents,
    ...modelCall,
    errors: callErrors,
    handle: (context, { body }) =>
      answerCall(context, {
        read: () => {
          const { request, tier } = parseTaskRequest(body)
          return chatCall(request, { tier })
        },
        write,
        errorForm: 'platform',
        refuse,
      }),
  }),

  route({
    ...familyRoute,
    name: 'openai.chat.completions.create',
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Create a chat completion',
    description: 'OpenAI format. `model` in the response names the model that served.',
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: documentedChatRequest,
    response: chatCompletion,
    events: completionEvents,
    handle: (context, { body }) =>
      answerFamily(context, {
        read: () => {
          const { stream_options, ...request } = parseChatRequest(body)
          return chatCall(request, { includeUsage: stream_options?.include_usage === true })
        },
        ignored: ignoredFields(body),
      }),
  }),

  ...modelsRoutes,
  ...messagesRoutes,
  ...embeddingsRoutes,
  ...responsesRoutes,
  ...imagesRoutes,
  ...audioRoutes,
  ...rerankRoutes,
  ...moderationsRoutes,
]

export function wire(config: ConfigOf<'backend-ai'>): Wiring<AiServices> {
  const table = openTable(config)
  const providers = createProviders(config)
  const catalogue = createCatalogue(providers)
  const queuesFor = openQueues(config)
  return {
    services: (origin) => ({
      table,
      providers,
      catalogue,
      timeoutMs: config.AI_MODEL_TIMEOUT_MS,
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
      adminEmails: config.ADMIN_EMAILS,
      planCaps: planCapsOf(config),
      planRouting: config.PLAN_ROUTING,
      settlements: queuesFor(origin),
      spans: queuesFor(origin),
    }),
    identity: {
      agentKey: agentKeyIdentity(table),
      profile: (userId: string) => userStore(table, userId).get(profileKey),
      userKey: userKeyIdentity(table, config.ADMIN_EMAILS),
      accessToken: accessTokenIdentity(table, config.ADMIN_EMAILS),
    },
    table,
  }
}
