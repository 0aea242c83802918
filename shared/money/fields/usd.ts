import * as z from 'zod'

/**
 * A spend limit in USD in a request. It is rounded to the microdollar, as costs are: the table cannot store numbers
 * extremely close to zero.
 */
export function usdField() {
  return z
    .number()
    .min(0)
    .max(1_000_000_000)
    .overwrite((usd) => Math.round(usd * 1e6) / 1e6)
}
