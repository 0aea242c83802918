import { sellPage } from '../../shared/page-sales/sell.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { once } from '../../shared/platform/once.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import type { Sell } from './page-routes.ts'

/** What is loaded only where pages cost something: the table and the chain's code are five times the rest. */
export function openSales(config: ConfigOf<'summarizer-pages'>, price: string): Sell {
  const table = once(() => openTable(config))
  return (ctx, order) => sellPage({ ...ctx, table: table(), config, price }, order)
}
