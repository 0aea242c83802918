import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { once } from '#shared/platform/once.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { sellPage } from '#shared/tools/page-sales/sell.ts'
import type { Sell } from './page-route.ts'

/**
 * Loaded only if pages have a price, because the chain's code is twice the size of the code that reads pages. Opens its
 * own table, because it only recognizes the errors of its own copy of that module.
 */
export function openSales(
  config: ConfigOf<'summarizer-articles' | 'summarizer-pages'>,
  price: string,
): Sell {
  const table = once(() => openTable(config))
  return (ctx, order) => sellPage({ ...ctx, table: table(), config, price }, order)
}
