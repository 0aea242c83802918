/** US$0.10 in millionths of a US dollar, in which balances and postings are kept: contract.md 9, Billing. */
const microUsdPerCredit = 100_000

/** @param credits of at most five decimals */
export function toMicroUsd(credits: number): number {
  return Math.round(credits * microUsdPerCredit)
}

/** As answers show it: a number of at most five decimals. */
export function toCredits(microUsd: number): number {
  return microUsd / microUsdPerCredit
}
