import { notConfigured } from '#shared/platform/errors.ts'
import type { Resolve } from '#shared/platform/http-client/guarded.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type Sealer, sealer } from '#shared/platform/seal.ts'

/** The settings and ports of the verbs that open connections. */
export interface ConnectionSettings extends Can<'mailer' | 'webUrl'> {
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
  /** FETCH_ALLOW_HOSTS; empty when deployed. */
  allowed: readonly string[]
  /** Resolves names; defaults to the system's resolver. */
  resolve?: Resolve | undefined
  /** Time limits that replace the usual ones. */
  waits?: Partial<Waits>
}

/** A capability of verbs that revoke tokens. */
export type Revokes = Pick<Context, 'log' | 'table'> &
  Pick<ConnectionSettings, 'allowed' | 'encryptionKey' | 'resolve'>

/** Time limits in milliseconds. Their sum is below the time limit of a request to the platform. */
export interface Waits {
  /** For another process that refreshes the same tokens. */
  refreshMs: number
  /** For a server to list its tools. */
  toolsMs: number
  /** For the discovery of a server's sign-in, and the registration of the platform as its client. */
  signInMs: number
}

/** The default time limits. */
export const usualWaits: Waits = { refreshMs: 8000, toolsMs: 10_000, signInMs: 8000 }

/** @throws PlatformError 503 without a key */
export function connectionSealer({
  encryptionKey,
}: Pick<ConnectionSettings, 'encryptionKey'>): Sealer {
  if (encryptionKey === undefined) throw notConfigured('Connections', ['WALLET_ENCRYPTION_KEY'])
  return sealer(encryptionKey)
}

/** Returns the context that a secret of a connection is encrypted for. */
export function secretPlace(
  agentId: string,
  name: string,
  what: 'client' | 'tokens' | 'verifier',
): string {
  return `connection#${agentId}#${name}#${what}`
}
