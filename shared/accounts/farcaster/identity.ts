import type { Address } from 'viem'

/** The account that a proof identifies. */
export interface FarcasterIdentity {
  fid: number
  /** Null if the quick-auth token contains none. */
  address: Address | null
}

/**
 * Verifies a token of a quick-auth server. @throws PlatformError 401, or 503 if the server's keys cannot be fetched
 */
export type QuickAuth = (token: string) => Promise<FarcasterIdentity>
