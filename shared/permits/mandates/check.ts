import { amountOf, format } from '#shared/money/amounts/amount.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { type Mandate, microOf } from './mandate.ts'

/** A payment that an agent asks for. */
export interface AskedPayment {
  host: string
  /** The address in any case. */
  payee: string
  /** Millionths of a US dollar, above 0. */
  microUsd: bigint
}

/** The payments of the current day and month that count, in millionths of a US dollar. */
export interface MandateUse {
  day: bigint
  month: bigint
}

/**
 * A host that may be paid: a name, with its port if it is not 443. Without other characters, it is safe in statements
 * and in texts for people.
 */
export const hostForm = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?::\d{1,5})?$/

/** Returns the error 402 for an agent without a mandate. */
export function mandateRequired(): PlatformError {
  return new PlatformError('payment-required', 'The agent has no mandate to pay', {
    code: 'MANDATE_REQUIRED',
  })
}

/**
 * Checks what is known before a host is asked: that the mandate is valid and names the host.
 * @param now epoch milliseconds
 * @throws PlatformError 403 MANDATE_REFUSED
 */
export function requireHost(mandate: Mandate, host: string, now: number): void {
  if (mandate.validUntil !== null && Date.parse(mandate.validUntil) <= now)
    throw refused('validUntil', `The mandate expired at ${mandate.validUntil}`)
  if (mandate.hosts !== null && !mandate.hosts.includes(host.toLowerCase()))
    throw refused('hosts', 'The mandate does not name the host')
}

/** Returns whether a mandate names a payee. */
export function allowsPayee({ payees }: Mandate, payee: string): boolean {
  return payees === null || payees.some((one) => one.toLowerCase() === payee.toLowerCase())
}

/** Returns the error 403 for a payee that the mandate does not name. */
export function payeeRefused(): PlatformError {
  return refused('payees', 'The mandate does not name the payee')
}

function refused(field: string, message: string): PlatformError {
  return new PlatformError('forbidden', message, { code: 'MANDATE_REFUSED', details: { field } })
}

/**
 * Checks a payment against the amounts of a mandate.
 * @throws PlatformError 402 MANDATE_EXCEEDED with the first limit that the payment exceeds
 */
export function requireAmount(
  mandate: Mandate,
  { microUsd }: Pick<AskedPayment, 'microUsd'>,
  { day, month }: MandateUse,
): void {
  const limits = [
    { of: 'payment', limit: mandate.perPaymentUsd, used: 0n },
    { of: 'day', limit: mandate.perDayUsd, used: day },
    { of: 'month', limit: mandate.perMonthUsd, used: month },
  ]
  const exceeded = limits.find(({ limit, used }) => used + microUsd > microOf(limit))
  if (exceeded === undefined) return
  const text = (micro: bigint) => format(amountOf('USD', micro))
  const { of, limit, used } = exceeded
  throw new PlatformError('payment-required', `The payment exceeds the mandate’s limit per ${of}`, {
    code: 'MANDATE_EXCEEDED',
    details: { limit, used: text(used), asked: text(microUsd), of },
  })
}

/**
 * Returns an amount as a number. The number is exact, because it is at most a limit of the mandate.
 * @throws PlatformError 402 MANDATE_EXCEEDED for an amount that exceeds a limit by itself
 */
export function amountWithin(
  mandate: Mandate,
  { microUsd }: Pick<AskedPayment, 'microUsd'>,
): number {
  requireAmount(mandate, { microUsd }, { day: 0n, month: 0n })
  return Number(microUsd)
}
