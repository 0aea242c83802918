import type { Hex } from 'viem'

/** A service that holds wallet keys instead of the platform. */
export interface Custodian {
  /**
   * Returns an agent's account, and creates it if necessary. Idempotent, even after a lost response.
   * @returns its address with checksum
   * @throws PlatformError 502 for an unexpected response, 503 if the custodian is busy or rejects the platform's keys
   */
  accountOf(agentId: string): Promise<Hex>
}
