import { PlatformError } from '../../shared/platform/errors.ts'
import type { openSales as open } from './sales.ts'

/** Pages are sold by Lambda alone: what checks a payment would weigh more in a worker than all that reads pages. */
export const openSales: typeof open = () => {
  throw new PlatformError(
    'unavailable',
    'Pages are not sold at the edge; deploy without WORKERS_DOMAIN',
  )
}
