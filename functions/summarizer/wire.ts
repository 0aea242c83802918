import { pageSource } from '#page-source'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { once } from '#shared/platform/once.ts'
import { lazyTable } from '#shared/platform/table/lazy.ts'
import type { Services as PageServices, Sell } from './page-route.ts'

export function wire(
  config: ConfigOf<'summarizer-articles' | 'summarizer-pages'>,
): Wiring<PageServices> {
  const allowed = config.deployed ? [] : config.FETCH_ALLOW_HOSTS
  const pages = pageSource({ allowed, resolverUrl: config.DNS_RESOLVER_URL })
  const table = lazyTable(once(async () => (await import('#page-counts')).openTable(config)))
  const price = config.SUMMARIZER_PRICE_USD
  if (price === undefined) return { services: { pages }, table }
  const sales = once(async () => (await import('#page-sales')).openSales(config, price))
  const sell: Sell = async (ctx, order) => (await sales())(ctx, order)
  return { services: { pages, sell }, table }
}
