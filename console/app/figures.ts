/** USD as people read it: cents, and for less than one as many digits as it takes; what is not known is said so. */
export function usd(value: number | null): string {
  if (value === null) return 'not known'
  const small = value !== 0 && Math.abs(value) < 0.01
  // Sums of the same amounts in another order differ by a last digit of theirs, and would be rounded apart.
  const exact = small ? value : Number(value.toFixed(6))
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'USD',
    ...(small ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }),
  }).format(exact)
}

/** A count in full. */
export function count(value: number): string {
  return value.toLocaleString('en')
}
