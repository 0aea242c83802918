import * as z from 'zod'
import {
  documentedResponsesRequest,
  ignoredResponsesFields,
  parseResponsesRequest,
} from '#shared/ai/gateway/families/responses/parse.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Services } from './answer.ts'
import { answerFamily, familyRoute } from './model-call.ts'

const route = routesWith<Services>()

const response = z
  .lazy(() =>
    z.looseObject({
      id: z.string(),
      object: z.literal('response'),
      status: z.string(),
      model: z.string().describe('The model that served the request'),
      output: z.array(z.looseObject({ type: z.string() })),
    }),
  )
  .meta({ id: 'OpenAiResponse' })

const responseEvent = z
  .lazy(() => z.looseObject({ type: z.string(), sequence_number: z.number() }))
  .meta({ id: 'OpenAiResponseEvent' })

const eventNames = [
  'response.created',
  'response.in_progress',
  'response.output_item.added',
  'response.output_item.done',
  'response.content_part.added',
  'response.content_part.done',
  'response.output_text.delta',
  'response.output_text.done',
  'response.refusal.delta',
  'response.refusal.done',
  'response.reasoning_summary_part.added',
  'response.reasoning_summary_part.done',
  'response.reasoning_summary_text.delta',
  'response.reasoning_summary_text.done',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.delta',
  'response.custom_tool_call_input.done',
  'response.completed',
  'response.incomplete',
  'response.failed',
] as const

export const responsesRoutes = [
  route({
    ...familyRoute,
    name: 'openai.responses.create',
    method: 'POST',
    path: '/v1/responses',
    summary: 'Create a response',
    description:
      'OpenAI format. Responses are not stored: send the whole conversation as input. `model` in the response names the ' +
      'model that served.',
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: documentedResponsesRequest,
    response,
    events: Object.fromEntries(eventNames.map((name) => [name, responseEvent])),
    handle: async (context, { body }) => {
      const { failedEvent, responsesCall } =
        await import('#shared/ai/gateway/families/responses/call.ts')
      return answerFamily(context, {
        read: () => responsesCall(parseResponsesRequest(body)),
        failed: (error) => failedEvent(error, parseResponsesRequest(body)),
        ignored: ignoredResponsesFields(body),
      })
    },
  }),
]
