import * as z from 'zod'
import {
  documentedRerankRequest,
  parseRerankRequest,
} from '#shared/ai/gateway/families/rerank/parse.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Services } from './answer.ts'
import { answerFamily, familyRoute } from './model-call.ts'

const route = routesWith<Services>()

const rerankResult = z
  .lazy(() =>
    z.looseObject({
      results: z.array(z.looseObject({ index: z.number(), relevance_score: z.number() })),
    }),
  )
  .meta({ id: 'RerankResult' })

export const rerankRoutes = [
  route({
    ...familyRoute,
    name: 'rerank.create',
    method: 'POST',
    path: '/v1/rerank',
    summary: 'Order documents by relevance',
    description: 'Cohere’s format. The response is the provider’s.',
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: documentedRerankRequest,
    response: rerankResult,
    handle: async (context, { body }) => {
      const { rerankCall } = await import('#shared/ai/gateway/families/rerank/call.ts')
      return answerFamily(context, {
        read: () => rerankCall(parseRerankRequest(body)),
      })
    },
  }),
]
