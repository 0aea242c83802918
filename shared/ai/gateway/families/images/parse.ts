import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { ignoredFieldsOf, invalid, parseRequest, refuseFields } from '../../parse.ts'
import { refusedFields } from '../../request-fields.ts'
import { modelName } from '../fields.ts'

/**
 * OpenAI's form, as in its client 7.55.0: https://developers.openai.com/api/reference/resources/images. Only the fields
 * in this schema are sent to a provider, because other vendors' fields, such as a resolution, change an image's price.
 */
const imagesRequest = once(() =>
  z.object({
    model: modelName(),
    prompt: z.string().min(1, 'prompt must not be empty').max(32_000),
    n: z.number().int().min(1).max(10).nullish(),
    size: z
      .string()
      .regex(/^(?:auto|\d{2,5}x\d{2,5})$/, 'size must be auto or <width>x<height>')
      .nullish(),
    quality: z
      .string()
      .regex(/^[a-z]{1,20}$/, 'quality must be a word')
      .nullish(),
    response_format: z
      .enum(['url', 'b64_json'], { error: 'response_format must be url or b64_json' })
      .nullish(),
    stream: z.boolean().nullish(),
    partial_images: z.number().int().min(0).max(3).nullish(),
    background: z.string().nullish(),
    moderation: z.string().nullish(),
    output_compression: z.number().nullish(),
    output_format: z.string().nullish(),
    style: z.string().nullish(),
    user: z.string().nullish(),
  }),
)

export type ImagesRequest = z.output<ReturnType<typeof imagesRequest>>

/** Returns the names of the fields that are not sent to a provider and are not refused. */
export const ignoredImagesFields = ignoredFieldsOf(() => [
  ...Object.keys(imagesRequest().shape),
  ...Object.keys(refusedFields),
])

/** The schema of the request for the API document. */
export const documentedImagesRequest = imagesRequest

/** @throws PlatformError 400 with the first field that is invalid or adds uncounted cost */
export function parseImagesRequest(body: Readonly<Record<string, unknown>>): ImagesRequest {
  const request = parseRequest(imagesRequest(), body)
  refuseFields(body, refusedFields)
  if (request.stream === true && (request.n ?? 1) > 1)
    throw invalid('n', 'n must be 1 for a stream, because each image has a count of its own')
  return request
}
