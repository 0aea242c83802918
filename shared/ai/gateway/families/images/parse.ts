import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { parseRequest } from '../../parse.ts'
import { modelName } from '../fields.ts'

/** OpenAI's form: https://developers.openai.com/api/reference/resources/images, read on 2026-11-27. */
const imagesRequest = once(() =>
  z.looseObject({
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
  }),
)

export type ImagesRequest = z.output<ReturnType<typeof imagesRequest>>

/** The schema of the request for the API document. */
export const documentedImagesRequest = imagesRequest

/** @throws PlatformError 400 with the first invalid field */
export function parseImagesRequest(body: unknown): ImagesRequest {
  return parseRequest(imagesRequest(), body)
}
