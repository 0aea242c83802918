/**
 * Parts of a whole in percent, to a tenth, by largest remainder: they add up to exactly 100, or are all 0 where the
 * whole is 0.
 */
export function shares(parts: readonly number[]): number[] {
  const whole = parts.reduce((sum, part) => sum + part, 0)
  if (whole === 0) return parts.map(() => 0)
  const exact = parts.map((part) => (part / whole) * 1000)
  const tenths = exact.map(Math.floor)
  const missing = 1000 - tenths.reduce((sum, part) => sum + part, 0)
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder)
  for (const { index } of byRemainder.slice(0, missing)) tenths[index] = (tenths[index] ?? 0) + 1
  return tenths.map((part) => part / 10)
}
