import { type Amount, amountOf } from '#shared/money/amounts/amount.ts'

/** Converts an amount for a month's row. The result is at most what the table can add exactly, nine billion dollars. */
export function toMicroUsd({ minor }: Amount<'USD'>): number {
  return Math.min(Number(minor), Number.MAX_SAFE_INTEGER)
}

/** Converts an amount from a month's row. */
export function fromMicroUsd(microUsd: number): Amount<'USD'> {
  return amountOf('USD', BigInt(microUsd))
}
