import * as z from 'zod'
import {
  documentedEmbeddingsRequest,
  parseEmbeddingsRequest,
} from '#shared/ai/gateway/families/embeddings/parse.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Services } from './answer.ts'
import { answerFamily, familyRoute } from './model-call.ts'

const route = routesWith<Services>()

const embeddings = z
  .lazy(() =>
    z.looseObject({
      object: z.literal('list'),
      model: z.string().describe('The provider’s name of the model'),
      data: z.array(
        z.looseObject({
          object: z.literal('embedding'),
          index: z.number(),
          embedding: z.union([z.array(z.number()), z.string().describe('Base64')]),
        }),
      ),
      usage: z.looseObject({ prompt_tokens: z.number(), total_tokens: z.number() }),
    }),
  )
  .meta({ id: 'Embeddings' })

export const embeddingsRoutes = [
  route({
    ...familyRoute,
    name: 'openai.embeddings.create',
    method: 'POST',
    path: '/v1/embeddings',
    summary: 'Create embeddings',
    description:
      'OpenAI format. The response is the provider’s. Only the requested model answers, because embeddings of two models cannot be compared.',
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: documentedEmbeddingsRequest,
    response: embeddings,
    handle: async (context, { body }) => {
      const { embeddingsCall } = await import('#shared/ai/gateway/families/embeddings/call.ts')
      return answerFamily(context, {
        read: () => embeddingsCall(parseEmbeddingsRequest(body)),
      })
    },
  }),
]
