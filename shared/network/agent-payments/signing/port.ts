import * as z from 'zod'
import type { ClientOf, Procedures } from '#shared/platform/procedures/procedures.ts'

/** The signer’s procedure for payments of agents. It signs only what a stored payment requests. */
export const agentPaymentProcedures = {
  /**
   * Signs the authorization (EIP-3009, TransferWithAuthorization of USDC) of a payment that can still be made. The same
   * payment always has the same signature. Responds 404 for an unknown payment and 409 for one that has expired or was
   * returned.
   */
  signPayment: {
    input: () => z.object({ agentId: z.string(), paymentId: z.string() }),
    answer: () =>
      z.object({ signature: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{130}$/)]) }),
  },
} as const satisfies Procedures

export type AgentPaymentSigner = ClientOf<typeof agentPaymentProcedures>
