import type { Passwords } from '../../../shared/accounts/password.ts'
import { routesWith } from '../../../shared/http/route.ts'
import type { Table } from '../../../shared/platform/table/port.ts'

export interface AccountServices {
  table: Table
  passwords: Passwords
  webUrl: string
  /** False only for load tests on one machine. */
  lockouts: boolean
}

export const route = routesWith<AccountServices>()
