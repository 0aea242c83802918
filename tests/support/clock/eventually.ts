import { vi } from 'vitest'

/** Far more than an idle machine needs, and enough for a machine that is five times slower. */
const patienceMs = 30_000

/**
 * Waits until a check passes.
 * @returns the value of the check
 */
export function eventually<T>(check: () => T | Promise<T>, timeout = patienceMs): Promise<T> {
  return vi.waitFor(check, { timeout, interval: 50 })
}

/**
 * Waits until a look-up finds a value.
 * @returns the value
 */
export function untilFound<T>(look: () => T | Promise<T>) {
  return vi.waitUntil(look, { timeout: patienceMs, interval: 50 })
}
