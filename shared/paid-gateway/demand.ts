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

/** Whose an Idempotency-Key is; undefined where a request shows no payment that could be taken, as it is told later. */
export async function keyHolder(ctx: DemandContext): Promise<string | undefined> {
  try {
    const { terms, payment } = await demandPayment(ctx)
    return await payerOf(payment, terms)
  } catch (error) {
    if (error instanceof PlatformError) return undefined
    throw error
  }
}
