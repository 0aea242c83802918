import * as z from 'zod'
import { callerOf, requirePlan } from '#shared/ai/gateway/caller.ts'
import { findModel } from '#shared/ai/gateway/models/find.ts'
import { listModels, type ModelSummary } from '#shared/ai/gateway/models/list.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Services } from './answer.ts'
import { billingHeaders, billingOf } from './billing.ts'
import { model, modelList } from './schema.ts'

const route = routesWith<Services>()

const headers = {
  ...billingHeaders,
  'anthropic-version': 'With this header, responses and errors have Anthropic’s form',
}

const otherErrorForm = { header: 'anthropic-version', form: 'anthropic' } as const

export const modelsRoutes = [
  route({
    name: 'openai.models.list',
    method: 'GET',
    path: '/v1/models',
    summary: 'List models available to the caller',
    description:
      'With the header `anthropic-version`, the response is a page in Anthropic’s form, which the query selects.',
    tag: 'ai',
    guard: 'internal-user-or-agent',
    scope: 'chat',
    headers,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(1000).optional(),
      after_id: z.string().max(200).optional(),
      before_id: z.string().max(200).optional(),
    }),
    response: modelList,
    errorForm: 'openai',
    otherErrorForm,
    errors: ['bad-request', 'unauthorized', 'payment-required', 'unavailable'],
    codes: ['PLAN_REQUIRED', 'SUBSCRIPTION_REQUIRED'],
    handle: async (context, { query }) => {
      const caller = callerOf(context, billingOf(context.request))
      const models = await listModels(context, { ...caller, plan: requirePlan(caller) })
      if (!context.request.headers.has('anthropic-version'))
        return { object: 'list' as const, data: models.map(describe) }
      const { writeModels } = await import('#shared/ai/gateway/families/messages/write-models.ts')
      return Response.json(writeModels(models, query))
    },
  }),

  route({
    name: 'openai.models.get',
    method: 'GET',
    // Ids contain slashes. Clients send them plain or percent-encoded.
    path: '/v1/models/:id{.+}',
    summary: 'Get a model',
    tag: 'ai',
    guard: 'internal-user-or-agent',
    scope: 'chat',
    headers,
    params: z.object({
      id: z.string().min(1).max(200).describe('The id of the model, including slashes'),
    }),
    response: model,
    errorForm: 'openai',
    otherErrorForm,
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'forbidden',
      'not-found',
      'unavailable',
    ],
    codes: ['MODEL_NOT_FOUND', 'MODEL_RESTRICTED', 'PLAN_REQUIRED', 'SUBSCRIPTION_REQUIRED'],
    handle: async (context, { params: { id } }) => {
      const caller = callerOf(context, billingOf(context.request))
      const found = await findModel(context, { ...caller, plan: requirePlan(caller), id })
      if (!context.request.headers.has('anthropic-version')) {
        const names = context.providers.routes(found.id).map(({ provider }) => provider.name)
        return { ...describe(found), providers: names }
      }
      const { writeModel } = await import('#shared/ai/gateway/families/messages/write-models.ts')
      return Response.json(writeModel(found))
    },
  }),
]

function describe({ id, created, ownedBy }: ModelSummary) {
  return { id, object: 'model' as const, created, owned_by: ownedBy }
}
