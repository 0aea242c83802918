/**
 * Tokens of a plan's quota that a unit counts for: about the tokens that cost as much at 2 USD per million, by the
 * prices of shared/ai/gateway/prices.json and of common models of images. Without them, a plan whose quota is in tokens
 * would not limit models that are billed by units.
 */
const tokensOf: Readonly<Record<string, number>> = {
  image: 20_000,
  second: 50,
  character: 8,
  search: 1000,
}

/**
 * Returns the tokens of a plan's quota for a call: its tokens, or the tokens of its units if no tokens are counted.
 * @param units numbers by unit, whose names can have further words: `image high 1024x1024`
 */
export function quotaTokens(
  { inputTokens, outputTokens }: { inputTokens: number; outputTokens: number },
  units: Readonly<Record<string, number>> = {},
): number {
  const tokens = inputTokens + outputTokens
  if (tokens > 0) return tokens
  const counts = Object.entries(units).map(
    ([unit, count]) => count * (tokensOf[unit.split(' ')[0] ?? ''] ?? 0),
  )
  return Math.ceil(counts.reduce((sum, each) => sum + each, 0))
}
