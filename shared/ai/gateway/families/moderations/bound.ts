import { sizeOf } from '../../images/size.ts'
import type { Image } from '../../images/tokens.ts'
import { estimateTokens, promptTokens } from '../../tokens.ts'
import type { ModerationRequest } from './parse.ts'

/** Returns an upper estimate of the tokens of all texts and images. @param model its routing id */
export function tokensToModerate({ input }: ModerationRequest, model: string): number {
  if (typeof input === 'string') return estimateTokens(input)
  const images: Image[] = []
  const tokens = input.reduce<number>((sum, item) => {
    if (typeof item === 'string') return sum + estimateTokens(item)
    if (item.type === 'text') return sum + estimateTokens(item.text)
    images.push({ size: sizeOf(item.image_url.url), coarse: false })
    return sum
  }, 0)
  return promptTokens({ tokens, images }, model)
}
