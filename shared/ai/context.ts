import type { Log } from '../platform/log.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { Table } from '../platform/table/port.ts'
import type { Catalogue } from './models/catalogue.ts'
import type { Providers } from './providers/provider.ts'

/** What the AI gateway's verbs stand on. */
export interface AiContext {
  table: Table
  log: Log
  providers: Providers
  catalogue: Catalogue
  /** AI_MODEL_TIMEOUT_MS: of each attempt at a model. */
  timeoutMs: number
  /** WALLET_ENCRYPTION_KEY, which opens the keys of a user's own. */
  encryptionKey?: string | undefined
  /** What calls are recorded by that the table does not take with their answers. */
  settlements: Queues<'settlements'>
  /** What spans of calls are sent by; absent where none are. */
  spans?: Queues<'telemetry'>
}
