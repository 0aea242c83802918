import type { Routing } from '#shared/platform/model-routing.ts'
import type { Route } from '../providers/provider.ts'

export interface Ordering extends Pick<Routing, 'order' | 'weights'> {
  /** Returns whether the route failed in the last seconds. */
  isOpen(route: Route): boolean
  /**
   * Returns a number above 0 and below 1 for a provider: a random one, or the number of the call's session. It is called
   * for providers with a weight.
   */
  draw(provider: string): number
}

/**
 * Returns the same routes in the order to try. The order of the models stays, and a user's own keys stay before the
 * platform's. Within both, routes that failed in the last seconds are last. Before them are the providers of `order`,
 * then the others by their weights, then providers without a weight in their given order.
 *
 * A provider's rank among weighted ones is `-ln(draw) / weight`, the lowest first: its chance to be first is its share
 * of the weights, and the loss of a provider moves only its own sessions. Source: P. Efraimidis and P. Spirakis,
 * Weighted random sampling with a reservoir, 2006.
 */
export function orderRoutes(routes: readonly Route[], ordering: Ordering): Route[] {
  const { order = [], weights = {}, isOpen, draw } = ordering
  const models = [...new Set(routes.map(({ id }) => id))]
  const ranked = routes.map((route, i) => {
    const { name } = route.provider
    const place = order.indexOf(name)
    const weight = Object.hasOwn(weights, name) ? (weights[name] ?? 0) : 0
    const rank = [
      models.indexOf(route.id),
      route.own === undefined ? 1 : 0,
      isOpen(route) ? 1 : 0,
      place === -1 ? order.length : place,
      weight > 0 ? -Math.log(draw(name)) / weight : Infinity,
      i,
    ]
    return { route, rank }
  })
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ route }) => route)
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i])
  return at !== -1 && Number(a[at]) < Number(b[at]) ? -1 : 1
}
