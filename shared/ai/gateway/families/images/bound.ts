import { invalid } from '../../parse.ts'
import { estimateTokens } from '../../tokens.ts'
import type { Size } from '../../usage.ts'
import type { ImagesRequest } from './parse.ts'

/**
 * The most output tokens of an image of 1024 x 1024 pixels by quality. OpenAI's guide, in a copy read on 2026-11-27,
 * lists 272, 1056 and 4160 for models before GPT Image 2. Its prices of GPT Image 2 make 200, 1767 and 7034:
 * https://developers.openai.com/api/docs/guides/image-generation. In its tables, larger images have more tokens in
 * proportion to their pixels at most.
 */
const tokensOfSquare = { low: 410, medium: 1800, high: 7100, auto: 7100 }
const qualities: ReadonlyMap<string, number> = new Map(Object.entries(tokensOfSquare))
const square = 1024 * 1024

/** The largest size that the models choose themselves. */
const autoPixels = 1536 * 1024

/** The same guide counts 100 tokens for an image before it is finished. */
const tokensOfPartial = 100

/** The models that are billed by tokens. Other models are billed by images. */
const billedByTokens = /(?:^|\/)(?:gpt|chatgpt)-image/

/** Returns the maximum usage of a request on a model, by its routing id. */
export function sizeOfImages(request: ImagesRequest, model: string): Size {
  const { prompt, n, size, quality, partial_images } = request
  const images = n ?? 1
  const units = { [`image ${quality ?? 'auto'} ${size ?? 'auto'}`]: images }
  if (!billedByTokens.test(model)) return { inputTokens: 0, outputTokens: 0, units }
  const [width = 0, height = 0] = (size ?? '').split('x').map(Number)
  const pixels = width * height || autoPixels
  const own = qualities.get(quality ?? 'auto') ?? tokensOfSquare.high
  const each = Math.ceil(own * Math.max(1, pixels / square))
  return {
    inputTokens: estimateTokens(prompt),
    outputTokens: images * (each + (partial_images ?? 0) * tokensOfPartial),
    units,
  }
}

/**
 * Returns why the cost of a quality is not known before the call. The guide lists no tokens of OpenAI's qualities `xhigh`
 * and `max`.
 */
export function refusalOfQuality({ quality }: ImagesRequest, model: string) {
  if (!billedByTokens.test(model) || qualities.has(quality ?? 'auto')) return undefined
  const known = [...qualities.keys()].join(', ')
  return invalid('quality', `quality must be one of ${known}: the cost of others is not known`)
}
