import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http'
import type { PaymentRequired, ResourceInfo, SettleResponse } from '@x402/core/types'
import { PlatformError } from '#shared/platform/errors.ts'
import type { PaymentTerms } from './terms.ts'

/**
 * Returns 402 with the terms in the header PAYMENT-REQUIRED and in the body: x402 version 2.
 * @param reason why a payment was rejected; absent if there was no payment
 */
export function paymentRequired(
  { requirements }: PaymentTerms,
  resource: ResourceInfo,
  reason?: string,
  headers: Record<string, string> = {},
): PlatformError {
  const error = reason === undefined ? 'Payment required' : `The payment is not valid: ${reason}`
  const required: PaymentRequired = { x402Version: 2, error, resource, accepts: [requirements] }
  const { error: message = error, ...details } = required
  return new PlatformError('payment-required', message, {
    ...(reason !== undefined && { code: 'PAYMENT_INVALID' }),
    details: { ...details, ...(reason !== undefined && { reason }) },
    headers: { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(required), ...headers },
  })
}

/** Returns the header with the result of the settlement. */
export function paymentResponse(settlement: SettleResponse): Record<string, string> {
  return { 'PAYMENT-RESPONSE': encodePaymentResponseHeader(settlement) }
}
