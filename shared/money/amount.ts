/** Decimals of each currency's minor unit. A single model call may cost less than a millionth, which `meteredUSD` still counts. */
const decimals = { USD: 6, meteredUSD: 9, GBP: 2, USDC: 6, pathUSD: 6 } as const

export type Currency = keyof typeof decimals

/** A sum of money: whole minor units, never a fraction of one. */
export interface Amount<C extends Currency = Currency> {
  readonly currency: C
  readonly minor: bigint
}

/** How amounts are written in requests: contract.md, Conventions. */
export const amountPattern = /^\d{1,12}(?:\.\d{1,6})?$/

/** @param minor in the currency's minor unit: micro-USD, pence */
export function amountOf<C extends Currency>(currency: C, minor: bigint): Amount<C> {
  return { currency, minor }
}

/**
 * An amount from a decimal string: `parse('GBP', '29.5')`.
 * @throws RangeError for a string of another form, or with more decimals than the currency has
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

/** As a decimal string without the zeros at its end. @param least decimals that are written all the same */
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

/** Negative where `a` is less, positive where it is more, 0 where they are equal. */
export function compare<C extends Currency>(a: Amount<C>, b: Amount<C>): number {
  if (a.minor === b.minor) return 0
  return a.minor < b.minor ? -1 : 1
}

/**
 * Splits an amount in proportion to weights, by largest remainder: the parts add up to it exactly. Of equal remainders
 * the first one gets the unit.
 * @throws RangeError where the amount or a weight is negative, or all weights are 0
 */
export function allocate<C extends Currency>(
  { currency, minor }: Amount<C>,
  weights: readonly bigint[],
): Amount<C>[] {
  return largestRemainder(minor, weights).map((part) => ({ currency, minor: part }))
}

/** Whole parts of a whole number, in proportion to weights: `allocate` for what is no money, such as percent. */
export function largestRemainder(whole: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n)
  if (whole < 0n || sum === 0n || weights.some((weight) => weight < 0n))
    throw new RangeError('only a sum of at least 0 can be split, by weights of at least 0 in all')
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

/** An amount over a count, to the nearest minor unit, a half up. @param count above 0 */
export function average<C extends Currency>(
  { currency, minor }: Amount<C>,
  count: number,
): Amount<C> {
  const by = BigInt(count)
  return { currency, minor: (2n * minor + by) / (2n * by) }
}

/**
 * The one way from a number with a binary fraction, such as a provider's reported cost or a price, to an amount. Of
 * the number 15 digits count, as many as every double holds exactly; what is then finer than the minor unit is
 * rounded up (no cost is counted for less) or to the nearest, a half up.
 * @throws RangeError for a number that is negative or not finite
 */
export function fromFloat<C extends Currency>(
  currency: C,
  value: number,
  rounding: 'up' | 'nearest',
): Amount<C> {
  if (!Number.isFinite(value) || value < 0) throw new RangeError('not a cost')
  const [mantissa = '', exponent = ''] = value.toExponential(14).split('e')
  const shift = decimals[currency] + Number(exponent) - 14
  const digits = BigInt(mantissa.replace('.', ''))
  if (shift >= 0) return { currency, minor: digits * 10n ** BigInt(shift) }
  const unit = 10n ** BigInt(-shift)
  const added = rounding === 'up' ? unit - 1n : unit / 2n
  return { currency, minor: (digits + added) / unit }
}

/** The number that answers carry: the double nearest to the amount. */
export function toNumber(amount: Amount): number {
  return Number(format(amount))
}
