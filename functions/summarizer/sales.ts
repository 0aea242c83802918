import { sellPage } from '../../shared/page-sales/sell.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { once } from '../../shared/platform/once.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import type { Sell } from './page-route.ts'

/**
 * What is loaded only where pages cost something: the chain's code is twice what reads pages. It opens a table of its own,
 * since it knows the errors of its own copy of that module alone.
 */
export function openSales(
  config: ConfigOf<'summarizer-articles' | 'summarizer-pages'>,
  price: string,
): Sell {
  const table = once(() => openTable(config))
  return (ctx, order) => sellPage({ ...ctx, table: table(), config, price }, order)
}
