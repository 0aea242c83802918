import { routesWith } from '../../../shared/http/route.ts'
import type { Table } from '../../../shared/platform/table/port.ts'

export interface SubscriptionServices {
  table: Table
}

export const route = routesWith<SubscriptionServices>()
