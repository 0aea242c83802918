import * as z from 'zod'
import { callerOf } from '#shared/ai/gateway/caller.ts'
import {
  documentedMessagesRequest,
  ignoredMessagesFields,
  parseCountRequest,
  parseMessagesRequest,
} from '#shared/ai/gateway/families/messages/parse.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Services } from './answer.ts'
import { billingHeaders, billingOf, callHeaders } from './billing.ts'
import { answerFamily, familyRoute } from './model-call.ts'

const route = routesWith<Services>()

const versionHeaders = {
  'anthropic-version': 'The version of the API. A provider that serves Messages receives it',
  'anthropic-beta': 'Names of beta features. A provider that serves Messages receives them',
}

function versionOf({ headers }: Request): Record<string, string> {
  const sent = ['anthropic-version', 'anthropic-beta'].map((name) => [name, headers.get(name)])
  return Object.fromEntries(sent.filter(([, value]) => value !== null)) as Record<string, string>
}

const message = z
  .lazy(() =>
    z.looseObject({
      id: z.string(),
      type: z.literal('message'),
      role: z.literal('assistant'),
      model: z.string().describe('The model that served the request'),
      content: z.array(z.looseObject({ type: z.string() })),
      stop_reason: z.string().nullable(),
      usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
    }),
  )
  .meta({ id: 'AnthropicMessage' })

const messageEvent = z
  .lazy(() => z.looseObject({ type: z.string() }))
  .meta({ id: 'AnthropicMessageEvent' })

const eventNames = [
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
] as const

export const messagesRoutes = [
  route({
    ...familyRoute,
    name: 'anthropic.messages.create',
    method: 'POST',
    path: '/v1/messages',
    summary: 'Create a message',
    description: 'Anthropic format. `model` in the response names the model that served.',
    headers: { ...callHeaders, ...versionHeaders },
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: documentedMessagesRequest,
    response: message,
    events: Object.fromEntries(eventNames.map((name) => [name, messageEvent])),
    errorForm: 'anthropic',
    handle: async (context, { body }) => {
      const { messagesCall } = await import('#shared/ai/gateway/families/messages/call.ts')
      return answerFamily(context, {
        read: () => messagesCall(parseMessagesRequest(body), versionOf(context.request)),
        errorForm: 'anthropic',
        ignored: ignoredMessagesFields(body),
      })
    },
  }),

  route({
    ...familyRoute,
    name: 'anthropic.messages.countTokens',
    method: 'POST',
    path: '/v1/messages/count_tokens',
    summary: 'Count the tokens of a message',
    // It waits for the provider, and reserves nothing that would count it.
    open: { kind: 'token-counts', most: 20, what: 'counts of tokens' },
    description: 'Anthropic format. Without a count of the provider, this is an estimate.',
    headers: { ...billingHeaders, ...versionHeaders },
    body: z.looseObject({}),
    documentedBody: () => documentedMessagesRequest().partial({ max_tokens: true }),
    response: z.object({ input_tokens: z.number() }),
    errorForm: 'anthropic',
    notAudited: 'counts without a change',
    errors: [
      'bad-request',
      'unauthorized',
      'payment-required',
      'forbidden',
      'not-found',
      'payload-too-large',
      'unavailable',
    ],
    codes: [
      'MODEL_NOT_FOUND',
      'MODEL_RESTRICTED',
      'MODEL_UNSUPPORTED',
      'PLAN_REQUIRED',
      'RATE_LIMITED',
      'SUBSCRIPTION_REQUIRED',
    ],
    handle: async (context, { body }) => {
      const { countTokens } = await import('#shared/ai/gateway/families/messages/count.ts')
      return countTokens(context, {
        caller: callerOf(context, billingOf(context.request)),
        read: () => parseCountRequest(body),
        headers: versionOf(context.request),
        signal: context.request.signal,
      })
    },
  }),
]
