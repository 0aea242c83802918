import type { Resolve } from '#shared/platform/http-client/guarded.ts'

/** What verbs need that open connections. */
export interface ConnectionSettings {
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
  /** FETCH_ALLOW_HOSTS; empty when deployed. */
  allowed: readonly string[]
  /** Resolves names; defaults to the system's resolver. */
  resolve?: Resolve | undefined
}
