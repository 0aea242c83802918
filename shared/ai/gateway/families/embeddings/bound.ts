import { estimateTokens } from '../../tokens.ts'
import type { EmbeddingsRequest } from './parse.ts'

/** Returns the estimated tokens of all inputs, on the high side. Inputs in tokens are counted exactly. */
export function tokensOfInput({ input }: Pick<EmbeddingsRequest, 'input'>): number {
  if (typeof input === 'string') return estimateTokens(input)
  return input.reduce<number>((sum, item) => sum + tokensOfItem(item), 0)
}

function tokensOfItem(item: string | number | readonly number[]): number {
  if (typeof item === 'number') return 1
  return typeof item === 'string' ? estimateTokens(item) : item.length
}
