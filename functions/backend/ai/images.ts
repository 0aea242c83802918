import * as z from 'zod'
import {
  documentedImagesRequest,
  ignoredImagesFields,
  parseImagesRequest,
} from '#shared/ai/gateway/families/images/parse.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Services } from './answer.ts'
import { answerFamily, familyRoute } from './model-call.ts'

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
    ...familyRoute,
    name: 'openai.images.generate',
    method: 'POST',
    path: '/v1/images/generations',
    summary: 'Create images',
    description: 'OpenAI format, whole and streamed. The response is the provider’s.',
    // The verb validates the body after plan and subscription.
    body: z.looseObject({}),
    documentedBody: documentedImagesRequest,
    response: images,
    events: {
      'image_generation.partial_image': imageEvent,
      'image_generation.completed': imageEvent,
    },
    handle: async (context, { body }) => {
      const { imagesCall } = await import('#shared/ai/gateway/families/images/call.ts')
      return answerFamily(context, {
        read: () => imagesCall(parseImagesRequest(body)),
        ignored: ignoredImagesFields(body),
      })
    },
  }),
]
