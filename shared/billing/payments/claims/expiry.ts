/**
 * The longest time that a claim is stored, even if its authorization is valid for longer: the chain rejects a used
 * authorization anyway.
 */
const longestSeconds = 400 * 86_400

/**
 * The time that a purchase stays stored after its payment expires, equal to the lifetime of an Idempotency-Key:
 * contract.md, General rules.
 */
export const claimRetentionSeconds = 86_400

/**
 * Returns when a claim expires: after its payment can no longer be settled and its purchase can no longer be requested
 * again.
 * @returns epoch seconds
 */
export function claimExpiry({ validBefore }: { validBefore: number }): number {
  return (
    Math.ceil(Math.min(validBefore, Date.now() / 1000 + longestSeconds)) + claimRetentionSeconds
  )
}
