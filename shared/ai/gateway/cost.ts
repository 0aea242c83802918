import type { Catalogue } from './models/catalogue.ts'
import type { DatedPrice, Price } from './price.ts'
import prices from './prices.json' with { type: 'json' }
import type { Route } from './providers/provider.ts'
import type { Size, TokenUsage, Units } from './usage.ts'

/** The list prices of the price file, in USD per million tokens and USD per unit. */
const datedPrices: ReadonlyMap<string, DatedPrice> = new Map<string, DatedPrice>([
  ...Object.entries<DatedPrice>(prices.prices),
  ...Object.entries<DatedPrice>(prices.further),
])

/** The models in the price file. */
export const pricedModels: ReadonlySet<string> = new Set(datedPrices.keys())

/** The models of further families than chat. The lists of some providers omit them. */
export const furtherModels: ReadonlySet<string> = new Set(Object.keys(prices.further))

/**
 * Returns the list price of a model in the price file, in USD per million tokens. Undefined if unknown.
 * @param at the time of the call in epoch milliseconds
 */
export function listPrice(id: string, at = Date.now()): Price | undefined {
  const dated = datedPrices.get(id)
  if (dated === undefined) return undefined
  const { later = [], ...first } = dated
  return later.findLast(({ from }) => Date.parse(from) <= at) ?? first
}

/**
 * Returns the price of a model: the operator's price in AI_PROVIDERS, the price in the provider's list, or the price in
 * the price file. Undefined without any.
 * Few lists have prices of one-hour cache writes, long prompts and units, so the price file's are used if the list has
 * none.
 */
export async function priceOf(
  catalogue: Catalogue,
  { id, model, provider, own }: Route,
  at?: number,
): Promise<Price | undefined> {
  const configured = provider.prices?.get(model)
  if (configured !== undefined) return configured
  const lister = own === undefined ? provider : own.listedBy
  const listed = lister && (await catalogue.list(lister)).get(id)?.price
  const known = listPrice(id, at)
  if (!listed) return known
  const { cacheWrite1h, long, units } = known ?? {}
  return {
    ...(cacheWrite1h !== undefined && { cacheWrite1h }),
    ...(long && { long }),
    ...(units && { units }),
    ...listed,
  }
}

type Tokens = Pick<TokenUsage, 'inputTokens' | 'outputTokens'>
export type CachedTokens = Pick<
  TokenUsage,
  'cacheReadTokens' | 'cacheWriteTokens' | 'cacheWrite1hTokens'
>

/** Returns the price of a call whose prompt has this many tokens. */
export function priceAt({ long, ...price }: Price, inputTokens: number): Price {
  if (long === undefined || inputTokens <= long.above) return price
  const { input, output, cacheRead = input, cacheWrite = input } = price
  const { cacheWrite1h = cacheWrite } = price
  return {
    ...price,
    input: input * long.input,
    output: output * long.output,
    cacheRead: cacheRead * long.input,
    cacheWrite: cacheWrite * long.input,
    cacheWrite1h: cacheWrite1h * long.input,
  }
}

/**
 * Returns the cost of the tokens of one call in USD, rounded to twelve decimals: finer than any price, coarser than
 * floating-point errors. Cached tokens without a price of their own cost as much as other input tokens.
 */
export function costAt(listed: Price, tokens: Tokens & CachedTokens): number {
  const { inputTokens, outputTokens } = tokens
  const price = priceAt(listed, inputTokens)
  const { input, output, cacheRead = input, cacheWrite = input } = price
  const { cacheWrite1h = cacheWrite } = price
  const { cacheReadTokens: read = 0, cacheWriteTokens: write = 0 } = tokens
  const { cacheWrite1hTokens: write1h = 0 } = tokens
  const uncached = (inputTokens - read - write) * input
  const cached = read * cacheRead + (write - write1h) * cacheWrite + write1h * cacheWrite1h
  return Number(((uncached + cached + outputTokens * output) / 1_000_000).toFixed(12))
}

/** Returns whether a price is a price of tokens. A model that is free has one, of 0. */
export function pricesTokens({ input, output, units }: Price): boolean {
  return units === undefined || input > 0 || output > 0
}

/**
 * Returns the price of a unit. A word `auto` means any word. If several prices fit, such as prices by size for an image
 * of any size, this is the highest.
 * @returns undefined without a price that fits
 */
function unitPrice(prices: Units, unit: string): number | undefined {
  const words = unit.split(' ')
  const fitting = Object.entries(prices).filter(([name]) =>
    name.split(' ').every((word, i) => words[i] === word || words[i] === 'auto'),
  )
  return fitting.length === 0 ? undefined : Math.max(...fitting.map(([, price]) => price))
}

/**
 * Returns the cost of a call in USD. Undefined if the call is measured in units and a price of its units is
 * not known.
 */
function costOf(
  price: Price,
  { units = {}, ...tokens }: Tokens & CachedTokens & { units?: Units | undefined },
): number | undefined {
  const prices = price.units
  const { request = 0 } = price
  if (prices === undefined) {
    const isByTokens =
      tokens.inputTokens + tokens.outputTokens > 0 || Object.keys(units).length === 0
    if (!isByTokens && price.input + price.output > 0) return undefined
    return Number((costAt(price, tokens) + request).toFixed(12))
  }
  const costs = Object.entries(units).flatMap(([unit, count]) => {
    const each = unitPrice(prices, unit)
    return each === undefined ? [] : [count * each]
  })
  if (costs.length === 0 && !pricesTokens(price)) return undefined
  const cost = costs.reduce((sum, each) => sum + each, costAt(price, tokens) + request)
  return Number(cost.toFixed(12))
}

/**
 * Returns the highest possible cost of a call: the prompt may be written to a cache, and may not be read from a cache.
 * Undefined if the call is measured in units and a price of its units is not known.
 */
export function maxCostAt(price: Price, { inputTokens, outputTokens, units }: Size) {
  const { input, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0 } = price
  const highest = Math.max(input, cacheRead, cacheWrite, cacheWrite1h)
  return costOf({ ...price, input: highest }, { inputTokens, outputTokens, units })
}

/**
 * Returns the cost of a call in USD: the provider's own figure, or by the provider's listed price, or by the price
 * file. Null without a price. An answer that exceeded its limit costs only the part within it.
 * @param at the beginning of the call in epoch milliseconds, whose price the hold reserved
 */
export async function callCost(
  catalogue: Catalogue,
  route: Route,
  usage: TokenUsage,
  at?: number,
): Promise<number | null> {
  const { costUsd: reported, kept } = usage
  if (reported !== undefined && kept === undefined) return reported
  const price = await priceOf(catalogue, route, at)
  if (price === undefined) return reported ?? null
  const cost = costOf(price, usage)
  if (cost === undefined) return reported ?? null
  return reported === undefined ? cost : Math.min(reported, cost)
}
