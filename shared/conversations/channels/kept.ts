import { epochSeconds } from '#shared/platform/times.ts'

/** Events, deliveries and idle chats are stored for this time, in seconds: contract.md 18. */
export const keptSeconds = 30 * 86_400

/** @returns epoch seconds */
export function keptUntil(now: number): number {
  return epochSeconds(now) + keptSeconds
}
