import type { ResourceInfo } from '@x402/core/types'
import { type Payment, payerOf, PaymentRefused, readPayment } from '../x402/payment.ts'
import { paymentRequired } from '../x402/required.ts'
import { type PaymentTerms, requireTerms } from '../x402/terms.ts'
import { PlatformError } from '../platform/errors.ts'
import type { PaidGatewayContext } from './context.ts'
import { path } from './path.ts'

type DemandContext = Pick<PaidGatewayContext, 'config' | 'request'>

/** x402 version 2. */
const header = 'payment-signature'

export function resourceOf({ config: { WEB_URL } }: DemandContext): ResourceInfo {
  return {
    url: WEB_URL + path,
    description: 'One answer of a model, or of an agent',
    mimeType: 'application/json',
  }
}

/**
 * The payment that a request shows.
 * @throws PlatformError 503 unconfigured, 402 with what is asked for where there is no payment, or another one
 */
export async function demandPayment(
  ctx: DemandContext,
): Promise<{ terms: PaymentTerms; payment: Payment }> {
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

/** The payment that a request shows; undefined if it shows none that can be accepted, for which demandPayment has the error. */
export async function shownPayment(
  ctx: DemandContext,
): Promise<{ terms: PaymentTerms; payment: Payment } | undefined> {
  try {
    return await demandPayment(ctx)
  } catch (error) {
    if (error instanceof PlatformError) return undefined
    throw error
  }
}

/** The owner of a request's Idempotency-Key: its payer; undefined if it shows no payment that can be accepted. */
export async function keyHolder(ctx: DemandContext): Promise<string | undefined> {
  const shown = await shownPayment(ctx)
  return shown && payerOf(shown.payment, shown.terms)
}
