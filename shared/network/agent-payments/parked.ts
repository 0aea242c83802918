import * as z from 'zod'
import { amountOf, format } from '#shared/money/amounts/amount.ts'
import {
  park,
  type ParkContext,
  type Parked,
  type PendingApproval,
} from '#shared/permits/approvals/park.ts'
import type { ParkedRequest } from '#shared/permits/approvals/request.ts'
import { sessionOf } from '#shared/permits/approvals/session.ts'
import { storedHeaders, pathInWords } from '#shared/platform/http-client/forwarded.ts'
import type { PaymentEffect } from './offer.ts'
import type { PaidRequest } from './request.ts'

const parkedFields = z.object({
  method: z.string(),
  host: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
})

/**
 * Stores a payment that waits for a person, with the request that asks for it.
 * @throws PlatformError as `park`
 */
export function parkPayment(
  ctx: ParkContext,
  {
    agent,
    effect,
    request,
    uncount,
  }: Pick<Parked, 'agent' | 'uncount'> & { effect: PaymentEffect; request: PaidRequest },
): Promise<PendingApproval> {
  const { method, host, path, headers, body } = request
  const usd = format(amountOf('USD', effect.microUsd))
  const stored = storedHeaders(headers, body !== null)
  const parked: Parked = {
    agent,
    effect,
    session: sessionOf(headers),
    summary: `Pay ${usd} USD to ${effect.target.payee} for ${method} https://${host}${pathInWords(path)}`,
    request: { json: { method, host, path, headers: stored }, ...(body !== null && { body }) },
    uncount,
  }
  return park(ctx, parked)
}

/** Returns the request of an approved payment. */
export function fromParked({ json, body }: ParkedRequest): PaidRequest {
  const { headers, ...target } = parkedFields.parse(json)
  return { ...target, headers: new Headers(headers), body: body ? Buffer.from(body) : null }
}
