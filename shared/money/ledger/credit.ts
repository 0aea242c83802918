/**
 * One credit is US$0.10, here in millionths of a US dollar, the unit of balances and postings: contract.md 9,
 * Billing.
 */
const microUsdPerCredit = 100_000

/** @param credits with at most five decimals */
export function toMicroUsd(credits: number): number {
  return Math.round(credits * microUsdPerCredit)
}

/** Returns the number of credits for responses, with at most five decimals. */
export function toCredits(microUsd: number): number {
  return microUsd / microUsdPerCredit
}
