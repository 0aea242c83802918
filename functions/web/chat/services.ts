import type { Patience } from '../../../shared/agents/reach/request.ts'
import { routesWith } from '../../../shared/http/route.ts'
import type { Table } from '../../../shared/platform/table/port.ts'

export interface ChatServices {
  table: Table
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
  patience?: Patience
}

export const route = routesWith<ChatServices>()
