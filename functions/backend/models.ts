import * as z from 'zod'
import { type AiHealth, createHealthCheck } from '#shared/ai/gateway/health/check.ts'
import { countByProvider } from '#shared/ai/gateway/models/count.ts'
import { describeCatalogue } from '#shared/ai/gateway/models/describe-catalogue.ts'
import {
  type ModelSources,
  describeModels,
  describeProvider,
} from '#shared/ai/gateway/models/describe.ts'
import { estimateCost } from '#shared/ai/gateway/models/estimate-cost.ts'
import {
  costQuestion,
  modelDescription,
  modelQuestion,
  selectedModel,
} from '#shared/ai/gateway/models/schema.ts'
import { selectModel } from '#shared/ai/gateway/models/select.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { aiLimit } from './ai/limit.ts'

export type Services = ModelSources & { checkHealth(): Promise<AiHealth> }

const route = routesWith<Services>({ limits: [aiLimit] })

export const routes = [
  route({
    name: 'models.health',
    method: 'GET',
    path: '/api/ai/health',
    summary: 'Get the health of model providers',
    description: 'Returns 503 with status `error` if no provider answers.',
    tag: 'ai',
    guard: 'internal',
    response: z.object({
      status: z.enum(['healthy', 'degraded']),
      providers: z.record(z.string(), z.boolean()),
      timestamp: z.string().describe('Time of the check'),
    }),
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests', 'unavailable'],
    handle: ({ checkHealth }) => checkHealth(),
  }),

  route({
    name: 'models.list',
    method: 'GET',
    path: '/api/ai/models',
    summary: 'List models',
    description: 'Also returns the number of models of each provider.',
    tag: 'ai',
    guard: 'internal',
    response: z.looseObject({
      models: z.array(modelDescription),
      count: z.number(),
      timestamp: z.string(),
    }),
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests', 'unavailable'],
    handle: async (context) => {
      const models = await describeModels(context)
      const counts = countByProvider(context.providers, models)
      const timestamp = new Date().toISOString()
      // The named fields come last, because a provider can have any name.
      return { ...counts, models, count: models.length, timestamp }
    },
  }),

  route({
    name: 'models.select',
    method: 'POST',
    path: '/api/ai/models/select',
    summary: 'Select a model for a task',
    description: 'Returns the model that a call would try first.',
    tag: 'ai',
    guard: 'internal',
    body: modelQuestion,
    bodyOptional: true,
    response: z.object({
      model: selectedModel,
      taskType: z.string(),
      timestamp: z.string(),
    }),
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    notAudited: 'reads',
    handle: async (context, { body: { taskType } }) => {
      const { id, provider } = await selectModel(context, { taskType })
      const timestamp = new Date().toISOString()
      return { model: { id, provider: provider.name }, taskType, timestamp }
    },
  }),

  route({
    name: 'models.listOfProvider',
    method: 'GET',
    path: '/api/ai/models/:provider',
    summary: 'List models of a provider',
    tag: 'ai',
    guard: 'internal',
    params: z.object({ provider: z.string() }),
    response: z.object({
      provider: z.string(),
      models: z.array(modelDescription),
      count: z.number(),
      timestamp: z.string(),
    }),
    errors: [
      'bad-request',
      'unauthorized',
      'forbidden',
      'not-found',
      'too-many-requests',
      'unavailable',
    ],
    handle: async (context, { params: { provider } }) => {
      const models = await describeProvider(context, { provider })
      return { provider, models, count: models.length, timestamp: new Date().toISOString() }
    },
  }),

  route({
    name: 'models.estimateCost',
    method: 'POST',
    path: '/api/ai/estimate-cost',
    summary: 'Estimate the cost of a call',
    description: 'Null if the price is unknown.',
    tag: 'ai',
    guard: 'internal',
    body: costQuestion,
    response: z.object({
      model: z.string(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      estimatedCost: z.number().nullable(),
      currency: z.literal('USD'),
      timestamp: z.string(),
    }),
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    codes: ['MODEL_NOT_FOUND'],
    notAudited: 'reads',
    handle: async (context, { body }) => {
      const estimatedCost = await estimateCost(context, body)
      const timestamp = new Date().toISOString()
      return { ...body, estimatedCost, currency: 'USD' as const, timestamp }
    },
  }),
]

export function wire(config: ConfigOf<'backend-models'>): Wiring<Services> {
  const table = openTable(config)
  const providers = createProviders(config)
  return {
    services: {
      providers,
      catalogue: describeCatalogue(providers),
      checkHealth: createHealthCheck(providers),
    },
    table,
  }
}
