import { allocate, type Amount } from '../money/amount.ts'

/** As many digits of a number as every double holds exactly; one before the point of its exponential form. */
const digits = 15

/** The exponent of the smallest double, and the digits behind its point: no weight below has a fraction. */
const lift = 324 + digits

/**
 * What each share gets of a total, by largest remainder: the parts add up to it exactly. Shares are taken relative to
 * their sum, and each as the decimal number that it was written as, so that equal shares weigh the same.
 * @param shares finite and above 0
 */
export function amountsOf(total: Amount<'USDC'>, shares: readonly number[]): Amount<'USDC'>[] {
  return allocate(total, shares.map(weightOf))
}

function weightOf(share: number): bigint {
  const [mantissa = '', exponent = ''] = share.toExponential(digits - 1).split('e')
  return BigInt(mantissa.replace('.', '')) * 10n ** BigInt(Number(exponent) + lift)
}
