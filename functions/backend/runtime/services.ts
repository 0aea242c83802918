import { routesWith } from '../../../shared/http/route.ts'
import type { Table } from '../../../shared/platform/table/port.ts'

export interface RuntimeServices {
  table: Table
  /** AGENT_IMAGE. */
  image: string
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
}

export const route = routesWith<RuntimeServices>()
