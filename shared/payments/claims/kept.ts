/** Beyond it a claim is not kept, however long an authorization says that it is good: one that is used is refused by the chain. */
const longestSeconds = 400 * 86_400

/** What a payment has bought stays with it for as long as an Idempotency-Key is kept: contract.md, General rules. */
export const keptSeconds = 86_400

/**
 * Until when a claim is kept: as long as its payment could be settled, and what it has bought be asked for again.
 * @returns epoch seconds
 */
export function keptUntil({ validBefore }: { validBefore: number }): number {
  return Math.ceil(Math.min(validBefore, Date.now() / 1000 + longestSeconds)) + keptSeconds
}
