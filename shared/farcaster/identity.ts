import type { Address } from 'viem'

/** Whom a proof is about. */
export interface FarcasterIdentity {
  fid: number
  /** Null where a quick-auth token names none. */
  address: Address | null
}

/** Checks a token of a quick-auth server. @throws PlatformError 401, or 503 where the server's keys cannot be had */
export type QuickAuth = (token: string) => Promise<FarcasterIdentity>
