import * as z from 'zod'
import type { ClientOf, Procedures } from '../platform/procedures/procedures.ts'
import type { Origin } from '../platform/queues/port.ts'
import { agentMessage } from './message/schema.ts'

const address = () => z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])
const hex = () => z.templateLiteral(['0x', z.string().regex(/^(?:[0-9a-f]{2})+$/)])

/**
 * What the signer can be asked for. It is the one function that sees keys of wallets, and signs only what is named here.
 * Every call may come twice, and comes to the same.
 */
export const signerProcedures = {
  /**
   * The wallet of an agent, made where it has none; `created` says whether this call made it. Refused with 404 for an
   * agent that is not there, and with 503 where there is no key to seal with.
   */
  createWallet: {
    input: () => z.object({ agentId: z.string() }),
    answer: () => z.object({ address: address(), created: z.boolean() }),
  },
  /**
   * Signs an AgentMessage by its sender's own wallet (EIP-191, over the RFC 8785 JSON without `signature` and
   * `metadata`), which is made where there is none. `from.walletAddress` may be absent and is then the wallet's, with
   * its checksum, before it is signed. Refused with 400 for another sender or address, 404 for an agent that is not there.
   */
  signMessage: {
    input: () => z.object({ agentId: z.string(), message: agentMessage() }),
    answer: () => z.object({ address: address(), signature: hex() }),
  },
} as const satisfies Procedures

export type Signer = ClientOf<typeof signerProcedures>

/** The signer for one request, tick or message: what it does is done for that, and its audit says so. */
export type SignerFor = (origin: Origin) => Signer
