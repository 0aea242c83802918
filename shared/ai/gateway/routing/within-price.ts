import { PlatformError } from '#shared/platform/errors.ts'
import type { PricePart, Routing } from '#shared/platform/model-routing.ts'
import type { AiContext } from '../context.ts'
import { priceAt, priceOf } from '../cost.ts'
import type { Price } from '../price.ts'
import type { Route } from '../providers/provider.ts'

type MaxPrice = NonNullable<Routing['maxPriceUsd']>

interface Priced {
  routes: Route[]
  /** The requested model, which must stay. Undefined if the tier decides. */
  requested?: string
  maxPriceUsd: MaxPrice | undefined
  /** The most tokens of the prompt, because long prompts can have higher prices. */
  inputTokens(route: Route): number
}

/**
 * Returns the routes whose price is known and within the highest price.
 * @throws PlatformError 400 MODEL_TOO_EXPENSIVE with the lowest price, if no provider of the requested model is left
 */
export async function withinPrice(
  { catalogue }: Pick<AiContext, 'catalogue'>,
  { routes, requested, maxPriceUsd: max, inputTokens }: Priced,
): Promise<Route[]> {
  if (max === undefined) return routes
  const priced = await Promise.all(
    routes.map(async (route) => {
      const found = await priceOf(catalogue, route)
      if (found === undefined) return []
      const price = priceAt(found, inputTokens(route))
      return [{ route, price, share: shareOf(price, max) }]
    }),
  )
  const known = priced.flat()
  const within = known.filter(({ share }) => share <= 1).map(({ route }) => route)
  const id = requested ?? routes[0]?.id ?? ''
  const isLeft = requested === undefined ? within.length > 0 : within.some((each) => each.id === id)
  if (isLeft) return within
  const offered = known.filter(({ route }) => requested === undefined || route.id === id)
  const cheapest = offered.sort((a, b) => a.share - b.share)[0]
  throw new PlatformError('bad-request', `No provider serves ${id} within maxPriceUsd`, {
    code: 'MODEL_TOO_EXPENSIVE',
    details: {
      param: 'maxPriceUsd',
      cheapest: cheapest
        ? {
            model: cheapest.route.id,
            provider: cheapest.route.provider.name,
            priceUsd: cheapest.price,
          }
        : null,
    },
  })
}

/** Returns the highest share of the limit that a part of the price uses. Above 1, the price is too high. */
function shareOf(price: Price, max: MaxPrice): number {
  const shares = (Object.entries(max) as [PricePart, number][]).map(([part, limit]) => {
    const usd = partOf(price, part)
    return usd === 0 ? 0 : usd / limit
  })
  return Math.max(0, ...shares)
}

/** Returns the price of a part. Units can have several prices, such as images by their size: the highest counts. */
function partOf({ input, output, units = {} }: Price, part: PricePart): number {
  if (part === 'input') return input
  if (part === 'output') return output
  const named = Object.entries(units).filter(([name]) => name.split(' ', 1)[0] === part)
  return Math.max(0, ...named.map(([, usd]) => usd))
}
