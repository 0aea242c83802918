import type { Hex } from 'viem'

/** Who holds keys of wallets in place of the platform. */
export interface Custodian {
  /**
   * The account of an agent, made where there is none: asked again, also after an answer that was lost, it is the same.
   * @returns its address, with its checksum
   * @throws PlatformError 502 where the custodian does not answer as it should, 503 where it asks for patience or does
   *   not take the platform's keys
   */
  accountOf(agentId: string): Promise<Hex>
}
