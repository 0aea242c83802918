import { largestRemainder } from '../money/amount.ts'

/**
 * Parts of a whole in percent, to a tenth, by largest remainder: they add up to exactly 100, or are all 0 where the
 * whole is 0.
 */
export function shares(parts: readonly bigint[]): number[] {
  if (parts.every((part) => part === 0n)) return parts.map(() => 0)
  return largestRemainder(1000n, parts).map((tenths) => Number(tenths) / 10)
}
