import * as z from 'zod'
import {
  documentedModerationRequest,
  parseModerationRequest,
} from '#shared/ai/gateway/families/moderations/parse.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Services } from './answer.ts'
import { answerFamily, familyRoute } from './model-call.ts'

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
    ...familyRoute,
    name: 'openai.moderations.create',
    method: 'POST',
    path: '/v1/moderations',
    summary: 'Classify texts and images',
    description: 'OpenAI format. The default model is `omni-moderation-latest`.',
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: documentedModerationRequest,
    response: moderation,
    handle: async (context, { body }) => {
      const { moderationCall } = await import('#shared/ai/gateway/families/moderations/call.ts')
      return answerFamily(context, {
        read: () => moderationCall(parseModerationRequest(body)),
      })
    },
  }),
]
