/**
 * Decimals of each currency's minor unit. `meteredUSD` is for model calls, which may cost less than a millionth of a
 * dollar.
 */
const decimals = { USD: 6, meteredUSD: 9, GBP: 2, USDC: 6, pathUSD: 6 } as const

export type Currency = keyof typeof decimals

/** An amount of money: whole minor units. */
export interface Amount<C extends Currency = Currency> {
  readonly currency: C
  readonly minor: bigint
}

/** The form of amounts in requests: contract.md, Conventions. */
export const amountPattern = /^\d{1,12}(?:\.\d{1,6})?$/

/** @param minor in the currency's minor unit, such as micro-USD or pence */
export function amountOf<C extends Currency>(currency: C, minor: bigint): Amount<C> {
  return { currency, minor }
}

/**
 * Parses a decimal string: `parse('GBP', '29.5')`.
 * @throws RangeError for a string of another form, or with more decimals than the currency
 */
export function parse<C extends Currency>(currency: C, text: string): Amount<C> {
  const [whole = '', fraction = ''] = text.split('.')
  const places = decimals[currency]
  if (!amountPattern.test(text) || fraction.length > places)
    throw new RangeError(
      `an amount of ${currency} is a decimal number of at most ${places} decimals`,
    )
  return { currency, minor: BigInt(whole + fraction.padEnd(places, '0')) }
}

/** Returns a decimal string without trailing zeros. @param least the minimum number of decimals */
export function format({ currency, minor }: Amount, least = 0): string {
  const places = decimals[currency]
  const digits = String(minor < 0n ? -minor : minor).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '').padEnd(least, '0')
  const whole = digits.slice(0, -places)
  return `${minor < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}

export function add<C extends Currency>(a: Amount<C>, b: Amount<C>): Amount<C> {
  return { currency: a.currency, minor: a.minor + b.minor }
}

/**
 * Returns a negative number if `a` is less than `b`, a positive number if it is greater, and 0 if they are equal.
 */
export function compare<C extends Currency>(a: Amount<C>, b: Amount<C>): number {
  if (a.minor === b.minor) return 0
  return a.minor < b.minor ? -1 : 1
}

/**
 * Splits an amount in proportion to weights, with the largest-remainder method: the parts add up to the amount exactly. Among
 * equal remainders the first gets the unit.
 * @throws RangeError if the amount or a weight is negative, or all weights are 0
 */
export function allocate<C extends Currency>(
  { currency, minor }: Amount<C>,
  weights: readonly bigint[],
): Amount<C>[] {
  return largestRemainder(minor, weights).map((part) => ({ currency, minor: part }))
}

/**
 * Splits a whole number into whole parts in proportion to weights: `allocate` for numbers other than money, such as
 * percentages.
 */
export function largestRemainder(whole: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n)
  if (whole < 0n || sum === 0n || weights.some((weight) => weight < 0n))
    throw new RangeError(
      'neither the amount nor a weight may be negative, and one weight must be above 0',
    )
  const shares = weights.map((weight, index) => ({
    index,
    part: (whole * weight) / sum,
    remainder: (whole * weight) % sum,
  }))
  const missing = whole - shares.reduce((total, { part }) => total + part, 0n)
  const byRemainder = shares.toSorted(
    (a, b) => Number(b.remainder > a.remainder) - Number(b.remainder < a.remainder),
  )
  for (const share of byRemainder.slice(0, Number(missing))) share.part += 1n
  return shares.map(({ part }) => part)
}

/** Divides an amount by a count, rounded half up to the nearest minor unit. @param count above 0 */
export function average<C extends Currency>(
  { currency, minor }: Amount<C>,
  count: number,
): Amount<C> {
  const by = BigInt(count)
  return { currency, minor: (2n * minor + by) / (2n * by) }
}

/**
 * Converts a floating-point number, such as a provider's reported cost or price, to an amount; all such conversions use
 * this function. It uses 15 significant digits of the number, which every double represents exactly. Fractions of the
 * minor unit are rounded up (so that no cost is understated) or to the nearest unit, half up.
 * @throws RangeError for a negative or infinite number
 */
export function fromFloat<C extends Currency>(
  currency: C,
  value: number,
  rounding: 'up' | 'nearest',
): Amount<C> {
  if (!Number.isFinite(value) || value < 0)
    throw new RangeError('a cost must be finite and not negative')
  const [mantissa = '', exponent = ''] = value.toExponential(14).split('e')
  const shift = decimals[currency] + Number(exponent) - 14
  const digits = BigInt(mantissa.replace('.', ''))
  if (shift >= 0) return { currency, minor: digits * 10n ** BigInt(shift) }
  const unit = 10n ** BigInt(-shift)
  const added = rounding === 'up' ? unit - 1n : unit / 2n
  return { currency, minor: (digits + added) / unit }
}

/** Returns the number for responses: the double nearest to the amount. */
export function toNumber(amount: Amount): number {
  return Number(format(amount))
}
