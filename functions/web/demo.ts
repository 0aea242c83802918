import * as z from 'zod'
import { demoChat } from '#shared/ai/demo/chat.ts'
import { listDemoModels } from '#shared/ai/demo/list.ts'
import { demoAnswer, demoModel, demoRequest, offeredModel } from '#shared/ai/demo/schema.ts'
import type { AiContext } from '#shared/ai/gateway/context.ts'
import { describeCatalogue } from '#shared/ai/gateway/models/describe-catalogue.ts'
import { type ModelSources, availableModels } from '#shared/ai/gateway/models/describe.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import { respondThen } from '#shared/http/respond-then.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'

export type Services = Omit<AiContext, 'catalogue' | 'log'> &
  ModelSources & {
    /** The time limit of a demo response, in milliseconds. */
    withinMs: number
    /** DEMO_SPEND_CAP_USD: the spend cap of all visitors together, per calendar month. Null for no cap. */
    capUsd: number | null
  }

/** contract.md 5: the default spend cap of a deployed demo per calendar month. */
const defaultCapUsd = 20

const route = routesWith<Services>()

const path = '/api/demo/chat'

export const routes = [
  route({
    name: 'demo.describe',
    method: 'GET',
    path: '/api/demo/chat',
    summary: 'List demo models',
    description: 'The default model first.',
    tag: 'demo',
    guard: 'none',
    response: z.object({
      models: z.array(demoModel),
      mode: z.literal('demo'),
      message: z.string(),
    }),
    errors: ['unavailable'],
    handle: async (context) => ({
      models: await listDemoModels(context),
      mode: 'demo' as const,
      message: 'POST {"message"} to chat with one of these models. Sign up to run your own agents.',
    }),
  }),

  route({
    name: 'demo.send',
    method: 'POST',
    path,
    summary: 'Send a demo chat message',
    description: 'Requires no account.',
    tag: 'demo',
    guard: 'none',
    open: { kind: 'demo', most: 10, what: 'calls of the demo' },
    limits: [{ scope: 'demo', perMinute: 60, message: 'Too many requests' }],
    body: demoRequest,
    response: demoAnswer,
    errors: ['bad-request', 'too-many-requests', 'internal', 'unavailable'],
    codes: ['SPEND_CAP_REACHED'],
    notAudited: 'a model call by an anonymous caller',
    handle: async (context, { body }) => {
      const { request, withinMs, capUsd } = context
      const input = { request: body, signal: request.signal, withinMs, capUsd, endpoint: path }
      const { answer, followed } = await demoChat(context, input)
      return respondThen(answer, followed)
    },
  }),

  route({
    name: 'models.list',
    method: 'GET',
    path: '/api/models',
    summary: 'List models',
    description: 'The models that the providers currently serve.',
    tag: 'demo',
    guard: 'none',
    response: z.object({ models: z.array(offeredModel), count: z.number() }),
    errors: ['unavailable'],
    handle: async (context) => {
      const models = await availableModels(context)
      return { models, count: models.length }
    },
  }),
]

export function wire(config: ConfigOf<'web-demo'>): Wiring<Services> {
  /** The edge waits 60 s for the first byte, so the caller gets the error of this function before that. */
  const withinMs = 50_000

  const table = openTable(config)
  const providers = createProviders(config)
  const catalogue = describeCatalogue(providers)
  const queuesFor = openQueues(config)
  return {
    services: (origin) => ({
      table,
      settlements: queuesFor(origin),
      providers,
      catalogue,
      timeoutMs: config.AI_MODEL_TIMEOUT_MS,
      withinMs,
      capUsd: config.DEMO_SPEND_CAP_USD ?? (config.deployed ? defaultCapUsd : null),
    }),
    table,
  }
}
