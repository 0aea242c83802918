import { vi } from 'vitest'

/** Far more than a machine needs that does nothing else, and enough for one that is five times slower. */
const patienceMs = 30_000

/** Waits until a check passes. @returns what it answers */
export function eventually<T>(check: () => T | Promise<T>, timeout = patienceMs): Promise<T> {
  return vi.waitFor(check, { timeout, interval: 50 })
}

/** Waits until a look finds something. @returns what that is */
export function untilFound<T>(look: () => T | Promise<T>) {
  return vi.waitUntil(look, { timeout: patienceMs, interval: 50 })
}
