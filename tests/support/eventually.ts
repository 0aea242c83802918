import { vi } from 'vitest'

/** Waits until a check passes; the time is far more than a machine needs that does nothing else. */
export function eventually<T>(check: () => T | Promise<T>, timeout = 20_000): Promise<T> {
  return vi.waitFor(check, { timeout, interval: 50 })
}
