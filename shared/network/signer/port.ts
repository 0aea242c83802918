import * as z from 'zod'
import type { ClientOf, Procedures } from '#shared/platform/procedures/procedures.ts'
import type { Origin } from '#shared/platform/queues/port.ts'
import { agentMessage } from './message/schema.ts'

const address = () => z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])
const hex = () => z.templateLiteral(['0x', z.string().regex(/^(?:[0-9a-f]{2})+$/)])

/**
 * The signer's procedures. The signer is the only function that reads wallet keys, and signs only the data of these
 * procedures. Every call is idempotent.
 */
export const signerProcedures = {
  /**
   * Returns an agent's wallet, and creates it if necessary; `created` is then true. Responds 404 for an unknown agent,
   * and 503 without an encryption key.
   */
  createWallet: {
    input: () => z.object({ agentId: z.string() }),
    answer: () => z.object({ address: address(), created: z.boolean() }),
  },
  /**
   * Signs an AgentMessage with its sender's own wallet, which is created if necessary (EIP-191, over the RFC 8785 JSON
   * without `signature` and `metadata`). If `from.walletAddress` is absent, the wallet's address with checksum is added
   * before signing. Responds 400 for another sender or address, and 404 for an unknown agent.
   */
  signMessage: {
    input: () => z.object({ agentId: z.string(), message: agentMessage() }),
    answer: () => z.object({ address: address(), signature: hex() }),
  },
} as const satisfies Procedures

export type Signer = ClientOf<typeof signerProcedures>

/** Returns the signer for one request, tick or message, which its audit entries record as the origin. */
export type SignerFor = (origin: Origin) => Signer

/** A capability of verbs that create wallets or sign with them. */
export interface HasSigner {
  signer: Signer
}
