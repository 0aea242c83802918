import type { Catalogue, Price } from './models/catalogue.ts'
import prices from './prices.json' with { type: 'json' }
import type { Route } from './providers/provider.ts'
import type { TokenUsage } from './usage.ts'

const listPrices = new Map<string, Price>(Object.entries(prices.prices))

/** The list price of a model in the price file, in USD per million tokens; undefined where none is known. */
export function listPrice(id: string): Price | undefined {
  return listPrices.get(id)
}

/** What a model costs: by its provider's own list, else by the price file; undefined where neither has it. */
export async function priceOf(
  catalogue: Catalogue,
  { id, provider, own }: Route,
): Promise<Price | undefined> {
  const lister = own === undefined ? provider : own.listedBy
  return (lister && (await catalogue.list(lister)).get(id)?.price) ?? listPrice(id)
}

/** What that many tokens cost in USD, of twelve decimals: finer than any price, coarser than binary fractions err. */
export function costAt(
  { input, output }: Price,
  { inputTokens, outputTokens }: Pick<TokenUsage, 'inputTokens' | 'outputTokens'>,
): number {
  return Number(((inputTokens * input + outputTokens * output) / 1_000_000).toFixed(12))
}

/**
 * What a call cost in USD: what the provider says of it, else by the provider's own listed price, else by the price
 * file; null where neither has it.
 */
export async function costOf(
  catalogue: Catalogue,
  route: Route,
  usage: TokenUsage,
): Promise<number | null> {
  if (usage.costUsd !== undefined) return usage.costUsd
  const price = await priceOf(catalogue, route)
  return price === undefined ? null : costAt(price, usage)
}
