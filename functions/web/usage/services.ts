import { routesWith } from '../../../shared/http/route.ts'
import type { BillingServices } from '../../../shared/billing/context.ts'

export interface UsageServices extends BillingServices {
  /** On AWS, where what is only for trying things out is closed. */
  deployed: boolean
}

export const route = routesWith<UsageServices>()
