import * as z from 'zod'
import type { ClientOf, Procedures } from '#shared/platform/procedures/procedures.ts'

const wei = () => z.string().regex(/^\d{1,30}$/)
const whole = () => z.number().int().min(0)

/** The current state of the chain: the wallet's transaction count, the newest block, and the fees for the next one. */
const chainState = () => ({
  count: whole(),
  block: whole(),
  fees: z.object({ maxFeePerGas: wei(), maxPriorityFeePerGas: wei() }),
})

/**
 * The signer's procedures for splits. It signs only USDC transfers of stored splits, and transactions that fill a
 * released nonce. It returns no bytes: they are stored in the table with their nonce. Every call is idempotent.
 */
export const paymentProcedures = {
  /** Signs payments for all recipients of a split that have no payment. */
  signPayments: {
    input: () => z.object({ splitId: whole(), ...chainState() }),
    answer: () => z.object({ signed: whole() }),
  },
  /** Signs the same payments again with higher fees, up to a cap. */
  replacePayments: {
    input: () =>
      z.object({ wallet: z.string(), nonces: z.array(whole()).max(50), ...chainState() }),
    answer: () => z.object({ signed: whole() }),
  },
  /** Fills nonces without a payment below the wallet's next nonce. */
  fillNonces: {
    input: () => z.object({ wallet: z.string(), ...chainState() }),
    answer: () => z.object({ signed: whole() }),
  },
} as const satisfies Procedures

export type PaymentSigner = ClientOf<typeof paymentProcedures>
