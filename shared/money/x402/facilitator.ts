import type { SettleResponse } from '@x402/core/types'
import type { Hex } from 'viem'
import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import { sendRequest } from '#shared/platform/http-client/client.ts'
import { targetOf } from '#shared/platform/http-client/connections.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import { hasPaid } from '../evm/token-payment.ts'
import type { X402Payment } from './payment.ts'
import type { PaymentTerms } from './terms.ts'

/** A definite answer of the facilitator. */
export type Verdict<T> = { good: true; value: T } | { good: false; reason: string }

/**
 * The timeouts in milliseconds: `verify` is a read of the chain, `settle` a transaction that must be included in a
 * block.
 */
const timeoutsMs = { verify: 8000, settle: 15_000 }

const maxBytes = 65_536

const text = z.string().nullish()

const verified = z.object({ isValid: z.boolean(), invalidReason: text, invalidMessage: text })

const settled = z.object({
  success: z.boolean(),
  errorReason: text,
  errorMessage: text,
  transaction: z.string().nullish(),
  payer: text,
})

/**
 * Verifies the signature and balance of a payment. The facilitator's own client uses the global fetch, which does not
 * limit the size of responses and follows redirects. Therefore only its message formats are used, with the platform's
 * HTTP client.
 * @throws PlatformError 502 if the facilitator gives no definite answer
 */
export async function verifyPayment(
  terms: PaymentTerms,
  payment: X402Payment,
): Promise<Verdict<undefined>> {
  const response = await ask(terms, payment, 'verify', verified)
  return response.isValid
    ? { good: true, value: undefined }
    : { good: false, reason: reasonOf(response.invalidReason, response.invalidMessage) }
}

/**
 * Settles a payment.
 * @throws PlatformError 502 if the outcome is unknown
 */
export async function settlePayment(
  terms: PaymentTerms,
  payment: X402Payment,
): Promise<Verdict<SettleResponse>> {
  const response = await ask(terms, payment, 'settle', settled)
  if (!response.success && isPending(response))
    throw unanswered(new Error('its settlement is pending'))
  if (!response.success)
    return { good: false, reason: reasonOf(response.errorReason, response.errorMessage) }
  const { network } = terms.requirements
  const transaction = response.transaction ?? ''
  return { good: true, value: { success: true, payer: payment.payer, transaction, network } }
}

/** Returns whether the transaction is pending and can still be included in a block. */
function isPending({ errorReason, errorMessage }: z.output<typeof settled>): boolean {
  return /pending/i.test(`${errorReason} ${errorMessage}`)
}

function reasonOf(reason: string | null | undefined, message: string | null | undefined): string {
  return [reason, message].filter(Boolean).join(': ').slice(0, 500) || 'no reason was given'
}

/**
 * Returns whether a payment whose settlement was rejected had been settled before. With a node, the chain's logs
 * decide. Without one, the rejection may state that the authorization is used, or the facilitator is queried again;
 * neither can distinguish a payment from a cancellation by the payer, so both count as paid.
 * @param since epoch seconds; the authorization was unused before
 * @throws PlatformError 502 if the facilitator gives no definite answer, 503 if the node gives none
 */
export async function wasSettled(
  { terms, payment, since }: { terms: PaymentTerms; payment: X402Payment; since: number },
  reason: string,
): Promise<boolean> {
  const { rpc, requirements } = terms
  if (rpc.url === undefined) {
    if (isUsedReason(reason)) return true
    const verdict = await verifyPayment(terms, payment)
    return !verdict.good && isUsedReason(verdict.reason)
  }
  const { value, nonce } = payment.authorization
  const lower = (hex: string) => hex.toLowerCase() as Hex
  const paid = {
    asset: lower(requirements.asset),
    from: lower(payment.payer),
    to: lower(requirements.payTo),
    value: BigInt(value),
    nonce: lower(nonce),
  }
  return hasPaid(rpc, paid, since)
}

/** Matches the reasons of x402 and of Circle's contract. */
function isUsedReason(reason: string): boolean {
  return /nonce\w* already|nonce_already|already (?:used|settled)|authorization is used/i.test(
    reason,
  )
}

async function ask<T>(
  { facilitatorUrl, requirements }: PaymentTerms,
  { payload }: X402Payment,
  verb: keyof typeof timeoutsMs,
  schema: z.ZodType<T>,
): Promise<T> {
  const answer = await sendRequest({
    target: targetOf(`${facilitatorUrl}/${verb}`),
    json: { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements },
    timeouts: { totalMs: timeoutsMs[verb] },
    maxBytes,
  })
    .then(async ({ status, whole }) => ({ status, body: (await whole()).toString() }))
    .catch((cause: unknown) => {
      throw unanswered(cause)
    })
  if (!isDefinite(answer.status))
    throw unanswered(new Error(`it responded with ${answer.status} to ${verb}`))
  const parsed = schema.safeParse(jsonIn(answer.body))
  if (!parsed.success) throw unanswered(new Error(`its response to ${verb} has another format`))
  return parsed.data
}

/**
 * Returns whether a status is a definite rejection of the payment. Some facilitators reject with a 4xx status; statuses
 * of overload and timeouts do not concern the payment.
 */
function isDefinite(status: number): boolean {
  const refused = status >= 400 && status <= 499 && ![408, 425, 429].includes(status)
  return refused || isSuccess(status)
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function unanswered(cause: unknown): PlatformError {
  return new PlatformError(
    'bad-gateway',
    'The payment could not be verified or settled; it remains valid: try again',
    { cause },
  )
}
