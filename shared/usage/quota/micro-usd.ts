import { type Amount, amountOf } from '../../money/amount.ts'

/**
 * An amount as a month's row counts it. What is more than the table can add up exactly, nine thousand million dollars,
 * is that.
 */
export function toMicroUsd({ minor }: Amount<'USD'>): number {
  return Math.min(Number(minor), Number.MAX_SAFE_INTEGER)
}

/** What a month's row counts as an amount. */
export function fromMicroUsd(microUsd: number): Amount<'USD'> {
  return amountOf('USD', BigInt(microUsd))
}
