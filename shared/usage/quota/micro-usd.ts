/**
 * USD as a whole number of millionths, rounded up: a cap may close one of them early, never late. What is more than
 * the table can add up exactly, nine thousand million dollars, is that.
 */
export function microUsdOf(usd: number): number {
  // Six decimals more than are counted take the errors of binary fractions away.
  return Math.min(Math.ceil(Number((usd * 1_000_000).toFixed(6))), Number.MAX_SAFE_INTEGER)
}
