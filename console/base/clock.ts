/** Milliseconds. Smaller differences are ignored, because the network and the header's whole seconds cause them. */
const minMs = 60_000

/** The difference between the platform's clock and the computer's, in milliseconds. */
let behind = 0

/**
 * Sets the clock from a response's Date header. All times on the pages are the platform's, because some computers'
 * clocks are a day off.
 */
export function setClock(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now()
  if (!Number.isNaN(difference)) behind = Math.abs(difference) < minMs ? 0 : difference
}

/** Returns the platform's time, in epoch milliseconds. */
export function now(): number {
  return Date.now() + behind
}
