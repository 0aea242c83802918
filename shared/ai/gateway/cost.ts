import type { Catalogue, Price } from './models/catalogue.ts'
import prices from './prices.json' with { type: 'json' }
import type { Route } from './providers/provider.ts'
import type { TokenUsage } from './usage.ts'

/** The list prices of the price file, in USD per million tokens. */
export const listPrices: ReadonlyMap<string, Price> = new Map<string, Price>(
  Object.entries(prices.prices),
)

/** Returns the list price of a model in the price file, in USD per million tokens. Undefined if unknown. */
export function listPrice(id: string): Price | undefined {
  return listPrices.get(id)
}

/**
 * Returns the price of a model by its provider's own list, or by the price file; undefined if neither has it. Few lists
 * have a price of one-hour cache writes, so the price file's price is used if the list has none.
 */
export async function priceOf(
  catalogue: Catalogue,
  { id, provider, own }: Route,
): Promise<Price | undefined> {
  const lister = own === undefined ? provider : own.listedBy
  const listed = lister && (await catalogue.list(lister)).get(id)?.price
  const known = listPrice(id)
  if (!listed) return known
  return known?.cacheWrite1h === undefined
    ? listed
    : { cacheWrite1h: known.cacheWrite1h, ...listed }
}

type Tokens = Pick<TokenUsage, 'inputTokens' | 'outputTokens'>
type CachedTokens = Pick<TokenUsage, 'cacheReadTokens' | 'cacheWriteTokens' | 'cacheWrite1hTokens'>

/**
 * Returns the cost of tokens in USD, rounded to twelve decimals: finer than any price, coarser than floating-point
 * errors. Cached tokens without a price of their own cost as much as other input tokens.
 */
export function costAt(price: Price, tokens: Tokens & CachedTokens): number {
  const { input, output, cacheRead = input, cacheWrite = input } = price
  const { cacheWrite1h = cacheWrite } = price
  const { inputTokens, outputTokens } = tokens
  const { cacheReadTokens: read = 0, cacheWriteTokens: write = 0 } = tokens
  const { cacheWrite1hTokens: write1h = 0 } = tokens
  const uncached = (inputTokens - read - write) * input
  const cached = read * cacheRead + (write - write1h) * cacheWrite + write1h * cacheWrite1h
  return Number(((uncached + cached + outputTokens * output) / 1_000_000).toFixed(12))
}

/**
 * Returns the highest possible cost of tokens: the prompt may be written to a cache, and may not be read from a cache.
 */
export function maxCostAt(price: Price, { inputTokens, outputTokens }: Tokens): number {
  const { input, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0 } = price
  const highest = Math.max(input, cacheRead, cacheWrite, cacheWrite1h)
  return costAt({ input: highest, output: price.output }, { inputTokens, outputTokens })
}

/**
 * Returns the cost of a call in USD: the provider's own figure, or by the provider's listed price, or by the price
 * file. Null without a price. An answer that exceeded its limit costs only the part within it.
 */
export async function callCost(
  catalogue: Catalogue,
  route: Route,
  usage: TokenUsage,
): Promise<number | null> {
  const { costUsd: reported, kept } = usage
  if (reported !== undefined && kept === undefined) return reported
  const price = await priceOf(catalogue, route)
  if (price === undefined) return reported ?? null
  const cost = costAt(price, usage)
  return reported === undefined ? cost : Math.min(reported, cost)
}
