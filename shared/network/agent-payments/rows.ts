import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'

/** The index of payments that the chain has not decided. */
export const paymentsDue = dueIndex('agent-payments', 4)

/**
 * A payment that an agent makes by x402. The signer signs what this row requests, so only functions that make payments
 * have access to the payer's partition. The row is in the index until the chain has decided the payment.
 */
export const agentPaymentRows = entity({
  name: 'agent’s payment',
  id: 'apy',
  pk: 'payer#{agentId}',
  sk: 'agent-payment#{month}#{paymentId}',
  gsi1: { pk: 'agent-payments#{shard}', sk: '{due}#{paymentId}' },
  schema: () =>
    z.object({
      paymentId: z.string(),
      agentId: z.string(),
      /** Null for an agent of the platform itself. */
      userId: z.string().nullable(),
      /** ISO 8601. The amount counts on this day and in this month of the mandate. */
      at: z.string(),
      /** The host of the request’s path: a name, with its port if it is not 443. */
      host: z.string(),
      /**
       * `held`: counted, and not sent. `sent`: the host may have the authorization. `settled`: the chain has it.
       * `returned`: it expired on the chain without being used.
       */
      state: z.enum(['held', 'sent', 'settled', 'returned']),
      /** Millionths of a US dollar, and the token’s smallest units. */
      microUsd: z.number(),
      /** True if the amount counts against the ceiling of all agents. */
      isCapped: z.boolean(),
      chainId: z.number(),
      /** The USDC contract, with its EIP-712 domain. */
      token: z.string(),
      domain: z.object({ name: z.string(), version: z.string() }),
      /** The agent’s wallet. */
      from: z.string(),
      payee: z.string(),
      /** 32 random bytes: the nonce of the authorization (EIP-3009). */
      nonce: z.string(),
      /** Epoch seconds; the authorization can be used before then. */
      validBefore: z.number(),
      /** The payload of x402 without its authorization, as JSON. Removed when the amount is returned. */
      envelope: z.string().optional(),
      /** The hash of the request, if it has an Idempotency-Key. */
      request: z.string().optional(),
      approvalId: z.string().nullable(),
      /** SHA-256 of the host’s demand for the payment, for disputes. */
      demandHash: z.string(),
      /** The host’s answer to the payment: its status, and SHA-256 of its receipt and of its body. */
      answer: z
        .object({
          status: z.number(),
          receiptHash: z.string().nullable(),
          bodyHash: z.string().nullable(),
        })
        .optional(),
      txHash: z.string().nullable(),
      /** The number of checks of the chain. */
      attempts: z.number(),
      /** Epoch seconds. Set when the chain has decided. */
      expiresAt: z.number().optional(),
    }),
})

/** The payment of an agent's Idempotency-Key, so that a retry does not pay again. Stored for a day. */
export const paymentRequestRows = entity({
  name: 'request for an agent’s payment',
  pk: 'payer#{agentId}',
  sk: 'payment-request#{hash}',
  schema: () => z.object({ paymentId: z.string(), expiresAt: z.number() }),
})
