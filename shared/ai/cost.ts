import type { Catalogue, Price } from './models/catalogue.ts'
import prices from './prices.json' with { type: 'json' }
import type { Route } from './providers/provider.ts'
import type { TokenUsage } from './usage.ts'

const listPrices = new Map<string, Price>(Object.entries(prices.prices))

/** The list price of a model in the price file, in USD per million tokens; undefined where none is known. */
export function listPrice(id: string): Price | undefined {
  return listPrices.get(id)
}

/**
 * What a call cost in USD: what the provider says of it, else by the provider's own listed price, else by the price
 * file; null where nobody knows.
 */
export async function costOf(
  catalogue: Catalogue,
  { id, provider }: Route,
  { inputTokens, outputTokens, costUsd }: TokenUsage,
): Promise<number | null> {
  if (costUsd !== undefined) return costUsd
  const price = (await catalogue.list(provider)).get(id)?.price ?? listPrice(id)
  if (price === undefined) return null
  const micro = inputTokens * price.input + outputTokens * price.output
  // Twelve decimals: finer than any price, coarser than the errors of binary fractions.
  return Number((micro / 1_000_000).toFixed(12))
}
