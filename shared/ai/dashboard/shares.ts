import { largestRemainder } from '#shared/money/amounts/amount.ts'

/**
 * Returns parts as percentages with one decimal, by largest remainder. They add up to exactly 100, or are all 0 if the
 * total is 0.
 */
export function shares(parts: readonly bigint[]): number[] {
  if (parts.every((part) => part === 0n)) return parts.map(() => 0)
  return largestRemainder(1000n, parts).map((tenths) => Number(tenths) / 10)
}
