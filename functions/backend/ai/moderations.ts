import * as z from 'zod'
import {
  documentedModerationRequest,
  parseModerationRequest,
} from '#shared/ai/gateway/families/moderations/parse.ts'
import { routesWith } from '#shared/http/route.ts'
import { type Services, answerCall } from './answer.ts'
import { billingHeaders } from './billing.ts'
import { callErrors, inProvidersWords, maxBodyBytes, modelCall } from './model-call.ts'

const route = routesWith<Services>()

const moderation = z
  .lazy(() =>
    z.looseObject({
      id: z.string(),
      model: z.string(),
      results: z.array(z.looseObject({ flagged: z.boolean() })),
    }),
  )
  .meta({ id: 'Moderation' })

export const moderationsRoutes = [
  route({
    name: 'openai.moderations.create',
    method: 'POST',
    path: '/v1/moderations',
    summary: 'Classify texts and images',
    description: 'OpenAI format. The default model is `omni-moderation-latest`.',
    tag: 'ai',
    guard: 'internal-user-or-agent',
    scope: 'chat',
    headers: billingHeaders,
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: documentedModerationRequest,
    response: moderation,
    errorForm: 'openai',
    maxBodyBytes,
    ...modelCall,
    errors: [...callErrors, 'payload-too-large'],
    handle: async (context, { body }) => {
      const { moderationCall } = await import('#shared/ai/gateway/families/moderations/call.ts')
      return answerCall(context, {
        read: () => moderationCall(parseModerationRequest(body)),
        write: ({ answer }) => answer,
        errorForm: 'openai',
        refuse: inProvidersWords,
      })
    },
  }),
]
