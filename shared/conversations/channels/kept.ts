import { epochSeconds } from '#shared/platform/times.ts'

/** How long events, deliveries and idle chats are stored, in seconds: contract.md 18. */
export const keptSeconds = 30 * 86_400

/** @returns epoch seconds */
export function keptUntil(now: number): number {
  return epochSeconds(now) + keptSeconds
}
