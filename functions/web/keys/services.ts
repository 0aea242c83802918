import type { KeyHashes } from '../../../shared/keys/hashes.ts'
import { routesWith } from '../../../shared/http/route.ts'
import type { Table } from '../../../shared/platform/table/port.ts'

export interface KeyServices {
  table: Table
  hashes: KeyHashes
  adminEmails: string[]
}

export const route = routesWith<KeyServices>()
