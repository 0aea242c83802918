import { PlatformError } from '#shared/platform/errors.ts'
import type { openSales as open } from './sales.ts'

/** Workers do not sell pages: the payment code is larger than the code that reads pages. Only Lambda sells them. */
export const openSales: typeof open = () => {
  throw new PlatformError(
    'unavailable',
    'Pages are not sold at the edge; deploy without WORKERS_DOMAIN',
  )
}
