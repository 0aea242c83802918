import * as z from 'zod'
import {
  documentedImagesRequest,
  ignoredImagesFields,
  parseImagesRequest,
} from '#shared/ai/gateway/families/images/parse.ts'
import { routesWith } from '#shared/http/route.ts'
import { type Services, answerCall } from './answer.ts'
import { billingHeaders } from './billing.ts'
import { namingIgnored } from './ignored.ts'
import { callErrors, inProvidersWords, maxBodyBytes, modelCall } from './model-call.ts'

const route = routesWith<Services>()

const images = z
  .lazy(() =>
    z.looseObject({
      created: z.number(),
      data: z.array(z.looseObject({ url: z.string().optional(), b64_json: z.string().optional() })),
    }),
  )
  .meta({ id: 'Images' })

const imageEvent = z
  .lazy(() => z.looseObject({ type: z.string(), b64_json: z.string() }))
  .meta({ id: 'ImageEvent' })

export const imagesRoutes = [
  route({
    name: 'openai.images.generate',
    method: 'POST',
    path: '/v1/images/generations',
    summary: 'Create images',
    description: 'OpenAI format, whole and streamed. The response is the provider’s.',
    tag: 'ai',
    guard: 'internal-user-or-agent',
    scope: 'chat',
    headers: billingHeaders,
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: documentedImagesRequest,
    response: images,
    events: {
      'image_generation.partial_image': imageEvent,
      'image_generation.completed': imageEvent,
    },
    errorForm: 'openai',
    maxBodyBytes,
    ...modelCall,
    errors: [...callErrors, 'payload-too-large'],
    handle: async (context, { body }) => {
      const { imagesCall } = await import('#shared/ai/gateway/families/images/call.ts')
      const response = await answerCall(context, {
        read: () => imagesCall(parseImagesRequest(body)),
        write: ({ answer }) => answer,
        errorForm: 'openai',
        refuse: inProvidersWords,
      })
      return namingIgnored(response, ignoredImagesFields(body))
    },
  }),
]
