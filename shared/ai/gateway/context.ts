import type { Log } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { Catalogue } from './models/catalogue.ts'
import type { Providers } from './providers/provider.ts'

/** The context of the AI gateway's verbs. */
export interface AiContext {
  table: Table
  log: Log
  providers: Providers
  catalogue: Catalogue
  /** AI_MODEL_TIMEOUT_MS: the timeout of each attempt. */
  timeoutMs: number
  /** WALLET_ENCRYPTION_KEY, which decrypts the users' own keys. */
  encryptionKey?: string | undefined
  /** Records calls that the table did not accept in time. */
  settlements: Queues<'settlements'>
  /** Sends spans of calls. Absent without collectors. */
  spans?: Queues<'telemetry'>
}
