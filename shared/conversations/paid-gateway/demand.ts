import type { ResourceInfo } from '@x402/core/types'
import {
  type X402Payment,
  payerOf,
  PaymentRefused,
  readPayment,
} from '#shared/money/x402/payment.ts'
import { paymentRequired } from '#shared/money/x402/required.ts'
import { type PaymentTerms, requireTerms } from '#shared/money/x402/terms.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { PaidGatewayContext } from './context.ts'
import { path } from './path.ts'

/** x402 version 2. */
const header = 'payment-signature'

/** Returns the resource of the payment terms: x402 version 2. */
export function resourceOf({ webUrl }: Pick<PaidGatewayContext, 'webUrl'>): ResourceInfo {
  return {
    url: webUrl + path,
    description: 'One answer of a model, or of an agent',
    mimeType: 'application/json',
  }
}

/**
 * Returns the payment of a request.
 * @throws PlatformError 503 if not configured, 402 with the terms if there is no payment or it does not match
 */
export async function demandPayment(
  ctx: Pick<PaidGatewayContext, 'config' | 'request' | 'webUrl'>,
): Promise<{ terms: PaymentTerms; payment: X402Payment }> {
  const feature = { feature: 'The paid gateway', price: ctx.config.X402_PRICE_USD }
  const terms = await requireTerms(ctx.config, feature)
  const shown = ctx.request.headers.get(header)
  if (shown === null || shown === '') throw paymentRequired(terms, resourceOf(ctx))
  try {
    return { terms, payment: readPayment(shown, terms) }
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error
    throw paymentRequired(terms, resourceOf(ctx), error.message)
  }
}

/** Returns the payment of a request. Undefined if it has no acceptable payment; demandPayment throws the error. */
export async function shownPayment(
  ctx: Pick<PaidGatewayContext, 'config' | 'request' | 'webUrl'>,
): Promise<{ terms: PaymentTerms; payment: X402Payment } | undefined> {
  try {
    return await demandPayment(ctx)
  } catch (error) {
    if (error instanceof PlatformError) return undefined
    throw error
  }
}

/** Returns the owner of a request's Idempotency-Key: its payer. Undefined if the request has no acceptable payment. */
export async function keyHolder(
  ctx: Pick<PaidGatewayContext, 'config' | 'request' | 'webUrl'>,
): Promise<string | undefined> {
  const shown = await shownPayment(ctx)
  return shown && payerOf(shown.payment, shown.terms)
}
