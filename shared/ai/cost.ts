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

/**
 * Returns the cost of tokens in USD, rounded to twelve decimals: finer than any price, coarser than floating-point
 * errors. Cached tokens without a price of their own cost as much as other input tokens.
 */
export function costAt(
  { input, output, cacheRead = input, cacheWrite = input }: Price,
  tokens: Pick<TokenUsage, 'cacheReadTokens' | 'cacheWriteTokens' | 'inputTokens' | 'outputTokens'>,
): number {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = tokens
  const usual = inputTokens - cacheReadTokens - cacheWriteTokens
  const prompt = usual * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite
  return Number(((prompt + outputTokens * output) / 1_000_000).toFixed(12))
}

/** Returns the highest possible cost of tokens: a prompt may be written to a cache, and may not be read from one. */
export function mostCostAt(
  price: Price,
  { inputTokens, outputTokens }: Pick<TokenUsage, 'inputTokens' | 'outputTokens'>,
): number {
  const { input, cacheRead = 0, cacheWrite = 0 } = price
  const dearest = Math.max(input, cacheRead, cacheWrite)
  return costAt({ input: dearest, output: price.output }, { inputTokens, outputTokens })
}

/**
 * Returns the cost of a call in USD: the provider's own figure, or by the provider's listed price, or by the price file.
 * Null without a price. An answer that exceeded its limit costs only the part within it.
 */
export async function costOf(
  catalogue: Catalogue,
  route: Route,
  usage: TokenUsage,
): Promise<number | null> {
  const { costUsd: told, kept } = usage
  if (told !== undefined && kept === undefined) return told
  const price = await priceOf(catalogue, route)
  if (price === undefined) return told ?? null
  const cost = costAt(price, usage)
  return told === undefined ? cost : Math.min(told, cost)
}
