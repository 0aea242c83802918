import * as z from 'zod'
import type { ClientOf, Procedures } from '../../platform/procedures/procedures.ts'

const wei = () => z.string().regex(/^\d{1,30}$/)
const whole = () => z.number().int().min(0)

/** What the chain said just before: how many transactions of the wallet its blocks hold, its newest block, and what it takes to be in the next. */
const chainState = () => ({
  count: whole(),
  block: whole(),
  fees: z.object({ maxFeePerGas: wei(), maxPriorityFeePerGas: wei() }),
})

/**
 * What the signer does for splits. It signs transfers of USDC that a split's row asks for, and nothing else but what
 * uses up a nonce that the chain has given back. No bytes are answered: they leave through the table alone, where they
 * are stored together with the nonce that they take. Every call may come twice, and comes to the same.
 */
export const paymentProcedures = {
  /** Signs payments for all recipients of a split that lack one. */
  signPayments: {
    input: () => z.object({ splitId: whole(), ...chainState() }),
    answer: () => z.object({ signed: whole() }),
  },
  /** Signs the same payments once more, with higher fees, up to a cap. */
  replacePayments: {
    input: () =>
      z.object({ wallet: z.string(), nonces: z.array(whole()).max(50), ...chainState() }),
    answer: () => z.object({ signed: whole() }),
  },
  /** Uses up nonces below the wallet's next that nothing stands for any more. */
  fillNonces: {
    input: () => z.object({ wallet: z.string(), ...chainState() }),
    answer: () => z.object({ signed: whole() }),
  },
} as const satisfies Procedures

export type PaymentSigner = ClientOf<typeof paymentProcedures>
