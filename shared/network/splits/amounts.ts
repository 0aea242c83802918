import { allocate, type Amount } from '#shared/money/amounts/amount.ts'

/** The number of significant decimal digits that every double represents exactly, one of them before the point. */
const digits = 15

/** Covers the exponent of the smallest double and its digits after the point, so that every weight is an integer. */
const lift = 324 + digits

/**
 * Splits a total by shares, with the largest-remainder method; the parts add up to it exactly. Shares are relative to their sum.
 * Their decimal notation is used, so that equal shares have equal weights.
 * @param shares finite and above 0
 */
export function amountsOf(total: Amount<'USDC'>, shares: readonly number[]): Amount<'USDC'>[] {
  return allocate(total, shares.map(weightOf))
}

function weightOf(share: number): bigint {
  const [mantissa = '', exponent = ''] = share.toExponential(digits - 1).split('e')
  return BigInt(mantissa.replace('.', '')) * 10n ** BigInt(Number(exponent) + lift)
}
