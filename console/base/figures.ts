/** Formats USD: cents, and more digits below one cent. Null is shown as unknown. */
export function usd(value: number | null): string {
  if (value === null) return 'unknown'
  const small = value !== 0 && Math.abs(value) < 0.01
  // Sums of the same amounts in different order differ in their last digits and would be rounded differently.
  const exact = small ? value : Number(value.toFixed(6))
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'USD',
    ...(small ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }),
  }).format(exact)
}

/** Formats a count in full. */
export function count(value: number): string {
  return value.toLocaleString('en')
}
